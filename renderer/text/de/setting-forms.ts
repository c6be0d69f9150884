import type { settingForms as english } from '../en/setting-forms.ts';
import type { Translated } from '../translated.ts';

export const settingForms: Translated<typeof english> = {
  fields: {
    names: { label: 'Namen', hint: 'Domains mit allem darunter, je Zeile eine.' },
    downgrade: {
      label: 'Ohne verschlüsselte Verbindung',
      hint: 'Was dann mit diesen Anfragen geschieht.',
    },
    rungs: {
      label: 'Unverschlüsselte Wege',
      hint: 'Von oben nach unten versucht, wo sie erlaubt sind.',
    },
    strategy: {
      label: 'Auswahl unter den Anbietern',
      hint: 'Welcher Anbieter der Gruppe gefragt wird.',
    },
    consent: {
      label: 'Wer unverschlüsselte Anfragen erlauben darf',
      hint: 'Wessen Zustimmung für diese Gruppe zählt.',
    },
    when: {
      label: 'Nur unter einer Bedingung',
      hint: 'Alles Ausgefüllte muss passen. Sonst gehen die Namen dorthin, wohin sie auch ohne die Gruppe gehen.',
    },
    user: { label: 'Konten', hint: 'Namen oder Nummern, je Zeile eines; eines muss passen.' },
    unit: {
      label: 'Dienste des Systems',
      hint: 'Etwa backup.service, je Zeile einer; einer muss passen.',
    },
    network: { label: 'Netzwerke', hint: 'Wie sie unter „Netzwerke“ heißen, je Zeile eines.' },
    hours: { label: 'Uhrzeiten', hint: 'Eine davon muss passen.' },
    days: { label: 'Tage, an denen es beginnt', hint: 'Keiner heißt: jeden Tag.' },
    from: { label: 'Von', hint: 'Ortszeit, etwa 22:00.' },
    to: { label: 'Bis', hint: 'Früher als der Beginn: am nächsten Tag.' },
    url: { label: 'Seite', hint: 'Etwa http://example.net/check.txt, unverschlüsselt.' },
    text: { label: 'Ihr Text', hint: 'Der ganze, wie er auf der Seite steht.' },
  },
  items: {
    groups: {
      one: 'Gruppe',
      add: 'Gruppe hinzufügen',
      none: 'Noch keine Gruppe: Jeder Anbieter antwortet für jeden Namen.',
    },
    refuseFor: {
      one: 'Bedingung',
      add: 'Bedingung hinzufügen',
      none: 'Noch keine Bedingung: Für jede Anfrage entscheidet die Richtlinie darüber.',
    },
    hours: { one: 'Uhrzeit', add: 'Uhrzeit hinzufügen', none: 'Zu jeder Uhrzeit.' },
    probes: {
      one: 'Seite',
      add: 'Seite hinzufügen',
      none: 'Noch keine Seite: Niemand wird gefragt.',
    },
  },
  other: { one: 'Eintrag', add: 'Eintrag hinzufügen', none: 'Noch kein Eintrag.' },
  numbered: (one, position) => `${one} ${position}`,
  remove: (one) => `${one} entfernen`,
  members: {
    label: 'Anbieter dieser Gruppe',
    hint: 'Nur diese antworten für die Namen darunter. Ein Anbieter gehört zu einer Gruppe.',
    missing: (group) =>
      `In ${group} ist kein Anbieter, also antwortete niemand für ihre Namen. Einen wählen.`,
    noneLeft:
      'Jeder Anbieter ist in einer Gruppe, also antwortete niemand für andere Namen. Einen auslassen oder zuerst einen Anbieter hinzufügen.',
  },
  removeShort: 'Entfernen',
  newName: 'Name der neuen Gruppe',
  newNameHint: 'Buchstaben, Ziffern, „.“, „_“ und „-“. Damit nennen Anbieter ihre Gruppe.',
  nameTaken: 'Es gibt schon eine mit diesem Namen. Einen anderen Namen wählen.',
  nameWrong:
    'Ein Name beginnt mit einem Buchstaben oder einer Ziffer und enthält nur Buchstaben, Ziffern, „.“, „_“ und „-“.',
  asElsewhere: 'Wie in den Einstellungen',
  ownChoice: 'Eine eigene Auswahl',
  ownList: 'Diese:',
  earlier: (word) => `Früher versuchen: ${word}`,
  words: {
    downgrade: { refuse: 'Blockieren', warn: 'Fragen', fallback: 'Unverschlüsselt erlauben' },
    rungs: {
      unauthenticated: 'Verschlüsselt zu wem auch immer',
      tcp: 'Unverschlüsselt zum Anbieter, über TCP',
      udp: 'Unverschlüsselt zum Anbieter, über UDP',
      network: 'Unverschlüsselt zu den Servern des Netzwerks',
    },
    strategy: {
      ordered: 'Der erste, der funktioniert',
      fastest: 'Der zuletzt schnellste',
      race: 'Mehrere zugleich',
      spread: 'Domains auf sie verteilen',
    },
    serveStale: {
      false: 'Nie',
      true: 'Solange kein Anbieter erreichbar ist',
      'at-once': 'Immer, und danach fragen',
    },
    postQuantum: { prefer: 'Wo es geht', require: 'Immer', off: 'Nie' },
    consent: { anyone: 'Wer Sotto bedienen darf', administrator: 'Nur die Administration' },
    pause: { allowed: 'Erlaubt', code: 'Mit einem Code vom Helpdesk' },
    learnRules: {
      vpn: 'VPNs von selbst, andere fragen',
      ask: 'Immer fragen',
      off: 'Nie',
    },
    systemResolvers: { auto: 'Wen dieser Computer von sich aus fragt' },
    mechanism: {
      auto: 'Selbst gefunden',
      resolved: 'systemd-resolved',
      'network-manager': 'NetworkManager',
      resolvconf: 'resolvconf',
      file: 'Die Datei /etc/resolv.conf',
    },
    close: {
      contested: 'Wenn ein anderes Programm stört',
      always: 'Immer',
      never: 'Nie',
    },
    mode: {
      full: 'Ganze Namen',
      domain: 'Nur Domains',
      counts: 'Nur Zahlen, keine Namen',
      off: 'Nichts',
    },
    days: {
      mon: 'Montag',
      tue: 'Dienstag',
      wed: 'Mittwoch',
      thu: 'Donnerstag',
      fri: 'Freitag',
      sat: 'Samstag',
      sun: 'Sonntag',
    },
  },
  asText: 'Als Text bearbeiten',
  asTextHint: 'Der Wert, wie er in der Datei der Einstellungen steht (JSON).',
  textTwice:
    'Ein Name steht zweimal da, sodass einer seiner Werte verloren ginge. Es wurde nichts geändert; einen davon löschen oder den Text verwerfen.',
  textWrong: (line) =>
    `Zeile ${line}: Dort endet der Text, oder ein Komma, ein Anführungszeichen oder eine Klammer fehlt. Es wurde nichts geändert; die Zeile berichtigen oder den Text verwerfen.`,
  textWrongNear: (line, near) =>
    `Zeile ${line}: „${near}“ kann dort nicht stehen. Davor fehlt ein Komma, ein Anführungszeichen oder eine Klammer, oder es ist eines zu viel. Es wurde nichts geändert; die Zeile berichtigen oder den Text verwerfen.`,
  refused: 'Es wurde nichts geändert.',
  wrong: {
    socket: (value) =>
      `„${value}“ ist keine Adresse mit Port wie „127.0.0.1:5300“ oder „[::1]:5300“.`,
    address: (value) =>
      `„${value}“ ist keine Adresse eines Resolvers, wahlweise mit Port, wie „192.0.2.1“, „[2001:db8::1]:53“ oder „fe80::1%eth0“.`,
    domain: (value) =>
      `„${value}“ ist keine Domain wie „corp.example“: ohne Platzhalter schreiben.`,
    group: (value) =>
      `„${value}“ kann keine Gruppe benennen: Buchstaben, Ziffern, „.“, „_“ und „-“, höchstens 64 davon.`,
    user: (value) => `„${value}“ ist weder der Name eines Kontos noch dessen Nummer.`,
    unit: (value) => `„${value}“ ist kein Dienst wie „backup.service“.`,
    network: (value) =>
      `„${value}“ kann kein Netzwerk benennen: höchstens 64 Zeichen, keines davon unsichtbar.`,
    time: (value) => `„${value}“ ist keine Uhrzeit wie „22:00“.`,
    page: (value) => `„${value}“ ist keine Seite wie „http://example.net/check.txt“.`,
    pageText: 'Der Text einer Seite hat 1 bis 1.000 Zeichen.',
    condition: 'Eine Bedingung braucht ein Konto, einen Dienst, ein Netzwerk oder eine Uhrzeit.',
    twice: 'Einer der Wege steht zweimal da; nur einmal aufführen.',
    range: (value, least, most) =>
      `„${value}“ passt nicht: Es muss eine ganze Zahl von ${least} bis ${most} sein.`,
    missing: (field) => `„${field}“ braucht mindestens einen Eintrag.`,
    many: (field) => `„${field}“ hat zu viele Einträge; einige entfernen.`,
  },
};

import type { exceptions as english } from '../en/exceptions.ts';
import type { Translated } from '../translated.ts';

export const exceptions: Translated<typeof english> = {
  about: 'Was diesen Rechner unverschlüsselt verlassen darf, warum und bis wann.',
  now: {
    title: 'Jetzt unverschlüsselt',
    nothing: 'Derzeit darf nichts unverschlüsselt hinaus.',
    namesOnly: 'Derzeit darf nichts unverschlüsselt hinaus, außer Anfragen nach den Namen unten.',
  },
  days: {
    title: 'Die letzten 30 Tage',
    none: (day) => `${day}: Nichts konnte unverschlüsselt hinaus.`,
    some: (day, time, count) =>
      `${day}: insgesamt ${time}, durch ${count === '1' ? '1 Erlaubnis' : `${count} Erlaubnisse`}.`,
    unknown: (day) => `${day}: nicht bekannt.`,
    noDay:
      'An keinem dieser Tage konnten Anfragen unverschlüsselt hinaus, außer nach den Namen oben.',
    onDays: (count, one) =>
      `An ${one ? '1 Tag' : `${count} Tagen`} konnten Anfragen unverschlüsselt hinaus, neben den Namen oben.`,
    began: (day) => `Was vor ${day} war, ist nicht bekannt.`,
    past: 'Alle Ausnahmen der Vergangenheit',
  },
  title: 'Namen von Firmen und VPNs',
  namesAbout:
    'Anfragen nach diesen Namen gehen unverschlüsselt an eigene Resolver: für Zonen, die es nur innerhalb eines Netzes gibt. Die genaueste gilt.',
  none: 'Keine Ausnahme schickt einen Namen an den Anbietern vorbei.',
  noneWhy:
    'Eine Ausnahme ist für eine Zone gedacht, die nur ein Resolver im eigenen Netz kennt, etwa corp.example hinter einem VPN.',
  add: 'Ausnahme hinzufügen …',
  more: 'Mehr',
  change: 'Ändern …',
  changeOf: (suffix) => `Ausnahme für ${suffix} ändern`,
  remove: 'Entfernen',
  removeOf: (suffix) => `Ausnahme für ${suffix} entfernen`,
  when: (condition) => ` ${condition}`,
  condition: {
    only: (parts) => `nur ${parts}`,
    user: (users) => `für ${users}`,
    unit: (units) => `in ${units}`,
    network: (networks) => `im Netz ${networks}`,
  },
  conditionForm: {
    title: 'Nur für manche oder zu manchen Zeiten',
    users: 'Konten',
    units: 'Dienste des Systems',
    networks: 'Netze',
    hints: {
      users: 'Namen oder Nummern, durch Kommas getrennt. Leer: jedes Konto.',
      units: 'Etwa backup.service, durch Kommas getrennt. Leer: jedes Programm.',
      networks: 'Wie sie auf der Seite Netzwerke heißen, durch Kommas getrennt. Leer: überall.',
    },
    wrong: {
      users: 'Eines davon ist weder der Name eines Kontos noch dessen Nummer.',
      units: 'Ein Dienst des Systems heißt etwa backup.service.',
      hours: 'Geben Sie beide Zeiten an oder keine.',
    },
    from: 'Von',
    to: 'Bis',
    days: 'An diesen Tagen (keiner: jeden Tag)',
    moreTimes: (count) =>
      count === 1
        ? 'Eine weitere Zeit bleibt, wie sie ist.'
        : `${count} weitere Zeiten bleiben, wie sie sind.`,
  },
  inCleartext: (count, one) =>
    one ? '1 unverschlüsselte Anfrage' : `${count} unverschlüsselte Anfragen`,
  lockedBy: (who) =>
    `Die Ausnahmen sind durch ${who} festgelegt und lassen sich hier nicht ändern.`,
  locked: 'Die Ausnahmen sind durch eine Vorgabe festgelegt und lassen sich hier nicht ändern.',
  undo: 'Rückgängig machen',
  undone: 'Rückgängig gemacht.',
  superseded: 'Die Einstellungen wurden seither erneut geändert; nichts wurde rückgängig gemacht.',
  done: {
    added: (suffix) => `${suffix} und alles darunter geht jetzt an die Resolver der Ausnahme.`,
    changed: (suffix) => `${suffix} geht jetzt an andere Resolver.`,
    removed: (suffix) => `Die Ausnahme für ${suffix} ist entfernt.`,
    imported: 'Die Ausnahmen der Datei gelten jetzt.',
  },
  dialog: {
    addTitle: 'Ausnahme hinzufügen',
    changeTitle: (suffix) => `Ausnahme für ${suffix}`,
    suffix: 'Suffix',
    suffixHint:
      'corp.example mit allem darunter, =www.corp.example für sich allein, * für Namen aus einem Teil, 10.0.0.0/8 für Rückwärtsnamen.',
    suffixFrom: (name) => `Vorschlag für ${name}. Ein längeres Suffix betrifft weniger Namen.`,
    suffixProblem:
      'Das ist kein Domainname: ASCII-Buchstaben, Ziffern und Bindestriche, keine Platzhalter. Auch nicht =name, * oder ein Präfix.',
    to: 'Resolver',
    toHint:
      'IP-Adressen mit optionalem Port, eine je Zeile, in der Reihenfolge, in der sie versucht werden; „network“ für die dieses Netzes, „link:tun0“ für die einer Verbindung.',
    toMissing: 'Mindestens ein Resolver ist nötig.',
    toProblem: (address) =>
      `${address} ist weder eine IP-Adresse mit optionalem Port noch „network“ oder eine Verbindung.`,
    downgrade: 'Das ist Absicht: Es ist eine Herabstufung und zählt als solche',
    own: 'Resolver dieses Netzes:',
    use: (address) => `${address} verwenden`,
    means:
      'Anfragen nach diesen Namen gehen unverschlüsselt hinaus: Auf dem Weg zum Resolver lassen sie sich lesen und verändern. Jede wird gezählt.',
    save: 'Diese Namen unverschlüsselt senden',
  },
  claims: {
    title: 'Von Netzen und VPNs erbeten',
    about:
      'VPN-Verbindungen bringen die Namen ihrer Domains mit und nehmen sie wieder mit. Was andere Netze beanspruchen, gilt nur, wenn Sie es erlauben; die Antwort wird für das Netz behalten.',
    wants: '{link} möchte {names} beantworten.',
    from: (by, to) => `Laut ${by}: ${to}`,
    states: {
      believed: 'unverschlüsselt, an die Verbindung',
      open: 'wartet auf Ihre Antwort',
      refused: 'bleibt hier verschlüsselt',
      unconfirmed: 'gilt, sobald sich hier ein Anbieter ausgewiesen hat',
      'too-wide': 'mehr als das Eigene: wird nie gelernt',
      overruled: 'eine andere Ausnahme hat diese Namen',
      ignored: 'nichts wird gelernt',
    },
    believe: 'Erlauben',
    believeOf: (suffix) => `Erlauben für ${suffix}`,
    refuse: 'Verschlüsselt lassen',
    refuseOf: (suffix) => `Verschlüsselt lassen: ${suffix}`,
  },
  import: {
    title: 'Ausnahmen importieren',
    open: 'Importieren …',
    file: 'Datei',
    fileHint: 'JSON wie exportiert, oder je Zeile: Suffix, dann Resolver.',
    tooLarge: 'Die Datei ist größer als 512 kB; Ausnahmen sind das nicht.',
    mode: 'Ausnahmen, die nicht in der Datei stehen',
    modes: { merge: 'bleiben', replace: 'werden entfernt' },
    nothing: 'Die Datei ändert nichts.',
    added: (count) => (count === 1 ? '1 neue Ausnahme' : `${count} neue Ausnahmen`),
    changed: (count) => (count === 1 ? '1 geänderte Ausnahme' : `${count} geänderte Ausnahmen`),
    removed: (count) =>
      count === 1 ? '1 Ausnahme wird entfernt' : `${count} Ausnahmen werden entfernt`,
    unchanged: (count) =>
      count === 1 ? '1 Ausnahme bleibt, wie sie ist.' : `${count} Ausnahmen bleiben, wie sie sind.`,
    before: (resolvers) => `bisher: ${resolvers}`,
    refused: 'Die Datei ist nicht verwendbar; es wurde nichts geändert.',
    apply: 'Anwenden',
  },
  export: { json: 'Als JSON speichern', text: 'Als Text speichern' },
  explain: {
    title: 'Einen Namen prüfen',
    name: 'Name',
    type: 'Typ',
    ask: 'Prüfen',
    note: 'Dafür wird nichts gesendet.',
    result: 'Was geschähe',
    sentences: {
      local: '{query} wird auf diesem Rechner beantwortet.',
      bypass: '{query} geht {clear} an {servers}, nach der Ausnahme für {rule}.',
      bypassLoop:
        '{query} wird blockiert: Alle Resolver der Ausnahme für {rule} führen zu Sotto zurück.',
      bypassUnknown:
        '{query} wird blockiert: Die Verbindung oder das Netz, wohin die Ausnahme für {rule} führt, ist nicht da.',
      bypassClosed:
        '{query} wird blockiert: Zur Ausnahme für {rule} ist keine Erlaubnis offen, unverschlüsselt zu senden.',
      direct: '{query} geht {clear} an den Resolver {servers} des Systems, denn Sotto ist {state}.',
      directRefused:
        '{query} wird blockiert: Sotto ist aus oder pausiert, und kein Resolver des Systems darf gefragt werden.',
      portal:
        '{query} geht {clear} an den Resolver {servers} des Netzes: Jemand hat es für eine Anmeldung erlaubt.',
      cached: '{query} wird aus dem Cache beantwortet; niemand wird gefragt.',
      denied: '{query} wird aus dem Cache beantwortet: Ein Name darüber existiert nicht.',
      failed: '{query} ist eben fehlgeschlagen; bald wird erneut gefragt.',
      noUpstream: '{query} wird blockiert: Es gibt keinen Anbieter dafür.',
      clear:
        '{query} geht {clear} hinaus: Keine verschlüsselte Verbindung zu {servers} funktioniert, und die Richtlinie erlaubt es.',
      private: '{query} geht verschlüsselt an {servers}.',
    },
    next: ', dann ',
    states: { off: 'aus', paused: 'pausiert' },
    rule: 'Ausnahme',
    details: 'Einzelheiten',
    elsewhere: 'Immer anderswohin senden …',
    change: 'Diese Ausnahme ändern …',
    noRule: 'keine',
    origin: 'Gelernt von',
    fromLink: (link, by) => `Verbindung ${link}, laut ${by}`,
    why: 'Grund',
    servers: 'Gefragt, der Reihe nach',
    nobody: 'niemand',
    group: 'Gruppe',
    defaultGroup: 'alle übrigen Namen',
    policy: 'Ohne verschlüsselte Verbindung',
    policies: {
      refuse: 'wird blockiert',
      warn: 'entscheiden Sie',
      fallback: 'geht es unverschlüsselt hinaus',
    },
    leaves: 'Unverschlüsselt',
    staysPrivate: 'nein',
    kept: 'Cache',
    keptAs: {
      none: 'nichts ist gespeichert',
      fresh: 'eine gültige Antwort ist gespeichert',
      denied: 'bekannt ist, dass ein Name darüber nicht existiert',
      failed: 'bekannt ist, dass es eben fehlschlug',
    },
    rcode: 'Antwortcode',
    conditionOf: {
      rule: (rule) => `Bedingung von ${rule}`,
      group: (group) => `Bedingung der Gruppe ${group}`,
      'refuse-for': (position) => `Bedingung ${position} von „refuseFor“`,
    },
    fits: {
      yes: 'passt',
      no: 'passt nicht',
      unknown: 'nicht bekannt, daher gilt das Strengere',
    },
  },
};

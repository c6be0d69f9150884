import type { exceptions as english } from '../en/exceptions.ts';
import type { Translated } from '../translated.ts';

export const exceptions: Translated<typeof english> = {
  about:
    'Die Namen einer Ausnahme gehen unverschlüsselt an deren Resolver: für Zonen, die es nur innerhalb eines Netzes gibt. Die genaueste Ausnahme gilt.',
  title: 'Ausnahmen',
  none: 'Keine Ausnahme schickt einen Namen an den Anbietern vorbei.',
  noneWhy:
    'Eine Ausnahme ist für eine Zone gedacht, die nur ein Resolver im eigenen Netz kennt, etwa corp.example hinter einem VPN.',
  add: 'Ausnahme hinzufügen …',
  more: 'Mehr',
  change: 'Ändern …',
  changeOf: (suffix) => `Ausnahme für ${suffix} ändern`,
  remove: 'Entfernen',
  removeOf: (suffix) => `Ausnahme für ${suffix} entfernen`,
  when: (condition) => ` wenn ${condition}`,
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
    when: (condition) =>
      `Diese Ausnahme gilt nur, wenn ${condition}. Die Bedingung bleibt, wie sie ist.`,
    means:
      'Anfragen nach diesen Namen gehen unverschlüsselt hinaus: Auf dem Weg zum Resolver lassen sie sich lesen und verändern. Jede wird im Klartext-Protokoll gezählt.',
    save: 'Diese Namen unverschlüsselt senden',
  },
  claims: {
    title: 'Von Verbindungen gelernt',
    about:
      'VPN-Verbindungen bringen die Namen ihrer Domains mit und nehmen sie wieder mit. Was andere Netze beanspruchen, gilt nur, wenn Sie es sagen; die Antwort wird für das Netz behalten.',
    from: (link, by, to) => `Verbindung ${link}, laut ${by}: ${to}`,
    states: {
      believed: 'unverschlüsselt, an die Verbindung',
      open: 'wartet auf Ihre Antwort',
      refused: 'hier nicht geglaubt',
      unconfirmed: 'gilt, sobald sich hier ein Anbieter ausgewiesen hat',
      'too-wide': 'mehr als das Eigene: wird nie gelernt',
      overruled: 'eine andere Ausnahme hat diese Namen',
      ignored: 'nichts wird gelernt',
    },
    believe: 'Glauben',
    believeOf: (suffix) => `Glauben, dass ${suffix} zu dieser Verbindung gehört`,
    refuse: 'Nicht glauben',
    refuseOf: (suffix) => `Nicht glauben, dass ${suffix} zu dieser Verbindung gehört`,
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
    title: 'Was geschähe mit einem Namen?',
    name: 'Name',
    type: 'Typ',
    ask: 'Anzeigen',
    note: 'Dafür wird nichts gesendet.',
    result: 'Was geschähe',
    sentences: {
      local: '{query} wird auf diesem Rechner beantwortet.',
      bypass: '{query} geht {clear} an {servers}, nach der Ausnahme für {rule}.',
      bypassLoop:
        '{query} wird verweigert: Alle Resolver der Ausnahme für {rule} führen zu Sotto zurück.',
      bypassUnknown:
        '{query} wird verweigert: Die Verbindung oder das Netz, wohin die Ausnahme für {rule} führt, ist nicht da.',
      bypassClosed:
        '{query} wird verweigert: Zur Ausnahme für {rule} ist keine Erlaubnis offen, unverschlüsselt zu senden.',
      direct: '{query} geht {clear} an den Resolver {servers} des Systems, denn Sotto ist {state}.',
      directRefused:
        '{query} wird verweigert: Sotto ist aus oder pausiert, und kein Resolver des Systems darf gefragt werden.',
      portal:
        '{query} geht {clear} an den Resolver {servers} des Netzes: Jemand hat es für eine Anmeldung erlaubt.',
      cached: '{query} wird aus dem Cache beantwortet; niemand wird gefragt.',
      denied: '{query} wird aus dem Cache beantwortet: Ein Name darüber existiert nicht.',
      failed: '{query} ist eben fehlgeschlagen; bald wird erneut gefragt.',
      noUpstream: '{query} wird verweigert: Es gibt keinen Anbieter dafür.',
      clear:
        '{query} geht {clear} hinaus: Kein privater Weg zu {servers} funktioniert, und die Richtlinie erlaubt es.',
      private: '{query} geht privat an {servers}.',
    },
    next: ', dann ',
    states: { off: 'aus', paused: 'pausiert' },
    rule: 'Regel',
    noRule: 'keine',
    origin: 'Gelernt von',
    fromLink: (link, by) => `Verbindung ${link}, laut ${by}`,
    why: 'Grund',
    servers: 'Gefragt, der Reihe nach',
    nobody: 'niemand',
    group: 'Gruppe',
    defaultGroup: 'alle übrigen Namen',
    policy: 'Ohne privaten Weg',
    policies: {
      refuse: 'wird verweigert',
      warn: 'entscheiden Sie',
      fallback: 'geht es stufenweise unverschlüsselt hinaus',
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

import type { exceptions as english } from '../en/exceptions.ts';
import type { Translated } from '../translated.ts';

export const exceptions: Translated<typeof english> = {
  about: 'Was diesen Rechner unverschlüsselt verlassen darf, und wer es erlaubt hat.',
  title: 'Namen von Firma und VPN',
  titleAbout:
    'Die Namen einer Ausnahme gehen unverschlüsselt an deren Resolver: für Zonen, die es nur innerhalb eines Netzes gibt. Die genaueste Ausnahme gilt.',
  now: {
    title: 'Derzeit unverschlüsselt',
    nothing: 'Keine Ausnahme ist in Kraft: Sotto sendet nichts unverschlüsselt.',
  },
  days: {
    title: 'Die letzten 30 Tage',
    all: 'Alle früheren Ausnahmen',
    calm: 'Sotto sendete nichts unverschlüsselt außer den Namen von Ausnahmen.',
    sum: (days, duration) =>
      days === 1
        ? `An 1 Tag konnten Anfragen jedes Namens unverschlüsselt hinaus, zusammen ${duration}.`
        : `An ${days} Tagen konnten Anfragen jedes Namens unverschlüsselt hinaus, zusammen ${duration}.`,
    since: (moment) => `Über die Zeit vor ${moment} ist nichts bekannt.`,
    today: 'heute',
    unknown: 'nicht bekannt',
    inPart: 'teilweise bekannt',
    nothing: 'nichts unverschlüsselt',
    lasted: (duration, times) =>
      times === 1
        ? `${duration} unverschlüsselt, einmal`
        : `${duration} unverschlüsselt, ${times}\u00a0Mal`,
    names: (count) => (count === 1 ? 'die Namen 1 Ausnahme' : `die Namen von ${count} Ausnahmen`),
    legend: {
      minutes: 'jeder Name, nach Dauer',
      names: 'Namen von Ausnahmen',
      unknown: 'nicht bekannt',
    },
  },
  none: 'Keine Ausnahme schickt einen Namen an den Anbietern vorbei.',
  noneWhy:
    'Eine Ausnahme ist für eine Zone gedacht, die nur ein Resolver im eigenen Netz kennt, etwa corp.example hinter einem VPN.',
  add: 'Ausnahme hinzufügen …',
  more: 'Mehr',
  change: 'Ändern …',
  changeOf: (suffix) => `Ausnahme für ${suffix} ändern`,
  remove: 'Entfernen',
  removeOf: (suffix) => `Ausnahme für ${suffix} entfernen`,
  when: {
    user: (names) => `nur für das Konto ${names}`,
    unit: (names) => `nur für ${names}`,
    network: (names) => `nur im Netzwerk ${names}`,
    hours: (windows) => `nur ${windows}`,
    from: (begin, end) => `${begin} bis ${end}`,
    days: { mon: 'Mo', tue: 'Di', wed: 'Mi', thu: 'Do', fri: 'Fr', sat: 'Sa', sun: 'So' },
    or: ' oder ',
  },
  goesTo: (resolvers) => `geht an ${resolvers}`,
  targets: {
    network: 'die Resolver dieses Netzes',
    link: (link) => `die Resolver von ${link}`,
  },
  rests: 'gilt hier und jetzt nicht',
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
    suffix: 'Domain',
    suffixHint:
      'corp.example mit allem darunter, =www.corp.example für sich allein, * für Namen aus einem Teil, 10.0.0.0/8 für Rückwärtsnamen.',
    suffixFrom: (name) => `Vorschlag für ${name}. Eine längere Domain betrifft weniger Namen.`,
    suffixProblem:
      'Das ist kein Domainname: ASCII-Buchstaben, Ziffern und Bindestriche, keine Platzhalter. Auch nicht =name, * oder ein Präfix.',
    to: 'Beantwortet von',
    toHint:
      'IP-Adressen, auch mit Port, eine je Zeile, die erste zuerst; „network“ für die dieses Netzes, „link:tun0“ für die einer Verbindung.',
    toMissing: 'Mindestens ein Resolver ist nötig.',
    toProblem: (address) =>
      `${address} ist weder eine IP-Adresse mit optionalem Port noch „network“ oder eine Verbindung.`,
    downgrade: 'Das ist Absicht: Es ist eine Herabstufung und zählt als solche',
    own: 'Resolver dieses Netzes:',
    use: (address) => `${address} verwenden`,
    onlyAdministrator:
      'Mehr unverschlüsselt zu senden erlaubt nur eine Administratorin oder ein Administrator. Es wurde nichts geändert.',
    means:
      'Anfragen nach diesen Namen gehen unverschlüsselt hinaus: Auf dem Weg zum Resolver lassen sie sich lesen und verändern. Jede wird gezählt.',
    save: 'Diese Namen unverschlüsselt senden',
  },
  condition: {
    title: 'Nur unter Bedingungen',
    about:
      'Die Ausnahme gilt nur, wo alle zutreffen. Mehrere Angaben werden durch Kommas getrennt.',
    network: 'Netzwerke',
    networkHint: 'wie sie auf der Seite „Netzwerke“ heißen',
    unit: 'Programme',
    unitHint: 'Dienste des Systems, etwa backup.service',
    unitProblem: (word) => `${word} ist kein Dienst wie backup.service.`,
    user: 'Konten',
    userHint: 'wessen Programme, nach Name oder Nummer',
    userProblem: (word) => `${word} ist weder Name noch Nummer eines Kontos.`,
    tooMany: 'Mehr als 16 Angaben: besser eine weitere Angabe verwenden.',
    hours: 'Uhrzeiten',
    from: 'Von',
    to: 'Bis',
    hoursHint: 'Etwa 22:00 bis 06:00. Ohne Tag: an jedem Tag.',
    addHours: 'Uhrzeit hinzufügen',
    removeHours: (place) => `Uhrzeit ${place} entfernen`,
    hoursProblem: 'Beide Zeiten sind nötig, etwa 22:00.',
  },
  claims: {
    waiting: 'Wartet auf Ihre Antwort',
    waitingAbout:
      'Bis zu Ihrer Antwort bleiben diese Namen verschlüsselt. Die Antwort wird für das Netz behalten.',
    wants: '{link} will {names} beantworten.',
    title: 'Namen, die VPNs und Netze mitbringen',
    about: 'Ein VPN bringt die Namen seiner eigenen Domains mit und nimmt sie wieder mit.',
    from: (link, by, to) => `${link}, laut ${by}: ${to}`,
    everyName: 'jeder Name',
    states: {
      believed: 'unverschlüsselt, an die Verbindung',
      open: 'wartet auf Ihre Antwort',
      refused: 'bleibt hier verschlüsselt',
      unconfirmed: 'erlaubt, sobald sich hier ein Anbieter ausgewiesen hat',
      'too-wide': 'mehr als das Eigene: wird nie gelernt',
      'answered-here': 'diese Namen beantwortet Sotto selbst',
      overruled: 'eine andere Ausnahme hat diese Namen',
      ignored: 'nichts wird gelernt',
    },
    allow: 'Erlauben',
    allowOf: (suffix, link) => `Erlauben, dass ${link} ${suffix} beantwortet`,
    keep: 'Verschlüsselt lassen',
    keepOf: (suffix) => `Verschlüsselt lassen: ${suffix}`,
    allowed: (suffix, link) => `${link} beantwortet jetzt ${suffix}, unverschlüsselt.`,
    kept: (suffix) => `${suffix} bleibt verschlüsselt.`,
  },
  import: {
    title: 'Ausnahmen importieren',
    open: 'Importieren …',
    file: 'Datei',
    fileHint: 'JSON wie exportiert, oder je Zeile: Domain, dann Resolver.',
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
    ask: 'Prüfen',
    note: 'Dafür wird nichts gesendet. Dem Namen darf ein Typ folgen: corp.example AAAA.',
    result: 'Was geschähe',
    elsewhere: 'Woandershin senden …',
    removeRule: 'Ausnahme entfernen',
    keep: 'Verschlüsselt lassen',
    details: 'Details',
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
      expired:
        '{query} wird sofort mit einer abgelaufenen Antwort beantwortet, und danach wird {servers} verschlüsselt gefragt.',
      noUpstream: '{query} wird blockiert: Es gibt keinen Anbieter dafür.',
      clear:
        '{query} geht {clear} hinaus: {servers} ist nicht verschlüsselt erreichbar, und die Richtlinie erlaubt es.',
      private: '{query} geht verschlüsselt an {servers}.',
    },
    next: ', dann ',
    states: { off: 'aus', paused: 'pausiert' },
    rule: 'Ausnahme',
    noRule: 'keine',
    origin: 'Gelernt von',
    fromLink: (link, by) => `Verbindung ${link}, laut ${by}`,
    why: 'Grund',
    servers: 'Gefragt, der Reihe nach',
    nobody: 'niemand',
    group: 'Gruppe',
    defaultGroup: 'alle übrigen Namen',
    policy: 'Wo niemand verschlüsselt erreichbar ist',
    policies: {
      refuse: 'wird blockiert',
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
      expired: 'eine abgelaufene Antwort ist bekannt',
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

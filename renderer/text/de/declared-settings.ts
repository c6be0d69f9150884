/** The help and the unit of every setting in German; in English they are declared. Words of the file itself, such as "refuse", stay as they are. */
import type { SettingKey } from '../../../app/contract/settings/settings.ts';

interface Declared {
  help: string;
  unit: string | null;
}

export const declaredSettings: Record<SettingKey, Declared> = {
  listen: {
    help: 'Adressen und Ports, an denen Programme auf diesem Rechner fragen; jeweils über UDP und TCP.',
    unit: null,
  },
  upstreams: {
    help: 'Resolver in der Reihenfolge ihres Vorrangs; es antwortet der erste, der verschlüsselt erreichbar ist. Leer: der erste aus dem Katalog.',
    unit: null,
  },
  'crossCheck.names': {
    help: 'Nach diesen Namen wird jeder Anbieter ihrer Gruppe gefragt, etwa stündlich und in jedem Netz, und Widersprüche werden gemeldet. Alle erfahren diese Namen, und dass dieser Computer nach ihnen fragt, auch unbenutzt. Nennen Sie nur, was Sie jedem sagen würden.',
    unit: null,
  },
  strategy: {
    help: 'ordered: der erste, der funktioniert. fastest: wer zuletzt am schnellsten geantwortet hat. race: mehrere zugleich. spread: jede Domain bleibt bei einem Anbieter, sodass keiner alles sieht.',
    unit: null,
  },
  downgrade: {
    help: 'refuse: keine verschlüsselte Verbindung, keine Antwort; Programme erhalten einen Fehler mit Begründung. warn: ebenso, und Sie werden je Netz einmal gefragt („sotto consent“). fallback: Anfragen gehen so lange über die erlaubten Stufen unverschlüsselt hinaus und werden unter „Alle Ausnahmen“ gezählt.',
    unit: null,
  },
  rungs: {
    help: 'Was warn und fallback nutzen dürfen, in dieser Reihenfolge: unauthenticated (TLS zu wem auch immer), tcp und udp (unverschlüsselt, an die Adressen des Anbieters), network (die Resolver des Netzes, womit dessen Betreiber mitliest).',
    unit: null,
  },
  consent: {
    help: 'Unter warn. anyone: wer Sotto bedienen darf. administrator: nur wer es verwalten darf.',
    unit: null,
  },
  pause: {
    help: 'allowed: Wer Sotto bedienen darf, hält es an und schaltet es aus. code: Niemand schaltet es aus, und jede Pause braucht einen eigenen Code vom Helpdesk („sotto pause-code --help“). Sperren Sie es, und mit ihm „systemDns.take“, wo man es nicht ändern soll.',
    unit: null,
  },
  refuseFor: {
    help: 'Anfragen, auf die eine dieser Bedingungen passt, gehen nie unverschlüsselt hinaus: nicht durch eine Stufe, Zustimmung, Pause, Anmeldeseite oder eine Ausnahme, die eine Herabstufung ist. Ausschalten dürfen Sotto nur Administratoren: Dann fragt das System für alle einen anderen Resolver. Ausnahmen für interne Namen gelten auch für sie. Eine Bedingung mit Benutzer oder Unit passt auch auf unbekannte Programme und auf solche, die für andere fragen, etwa systemd-resolved.',
    unit: null,
  },
  groups: {
    help: 'Anbieter, die eine Gruppe nennen, antworten nur für deren Namen, wie alle anderen über TLS und mit eigener Richtlinie. Anbieter ohne Gruppe antworten für alle übrigen Namen.',
    unit: null,
  },
  bypass: {
    help: 'Namen unter einer Endung gehen unverschlüsselt an die angegebenen Resolver: für Zonen, die es nur innerhalb eines Netzes gibt. Die genaueste Ausnahme gilt. „=name“ steht für diesen Namen allein, „*“ für Namen aus einem einzigen Teil, „10.0.0.0/8“ für Rückwärtsnamen; „network“ und „link:tun0“ für die Resolver dieses Netzes oder jener Verbindung.',
    unit: null,
  },
  learnRules: {
    help: 'vpn: Die Domains einer VPN-Verbindung gehen an deren Resolver, solange sie besteht; über die anderer Netze werden Sie je Netz einmal gefragt. ask: auch über die von VPN-Verbindungen. off: Nichts wird gelernt und nicht gefragt. Die Wurzel und öffentliche Endungen werden nie gelernt.',
    unit: null,
  },
  allowPrivate: {
    help: 'Namen, deren öffentliche Antworten private Adressen enthalten dürfen. Sonst werden solche Antworten verweigert: Mit ihnen könnte eine Webseite in Ihr Netz gelangen.',
    unit: null,
  },
  forwardSpecial: {
    help: 'Namen mit Sonderbedeutung wie „test“ oder „168.192.in-addr.arpa“, die Ihr Anbieter kennt; andere werden auf diesem Rechner beantwortet.',
    unit: null,
  },
  systemResolvers: {
    help: 'Wohin Anfragen unverschlüsselt gehen, solange Sotto aus oder pausiert ist. auto: an jene, die dem Betriebssystem genannt wurden. Eine leere Liste verweigert stattdessen.',
    unit: null,
  },
  'systemDns.take': {
    help: 'Jedes Programm dieses Rechners fragt Sotto. Zurückgegeben, solange Sotto aus ist, und wenn es endet. Braucht sotto-helper.',
    unit: null,
  },
  'systemDns.mechanism': {
    help: 'auto: was dieses System hat, gesucht in dieser Reihenfolge: systemd-resolved, NetworkManager, resolvconf, die Datei /etc/resolv.conf.',
    unit: null,
  },
  'systemDns.close': {
    help: 'Was Programme dieses Computers an Port 53 anderer schicken, solange das System-DNS bei Sotto ist. contested: bei refuse oder gesperrter Richtlinie, sobald ein anderes Programm oder das Netz das System-DNS geändert hat, bis dieses Netz verlassen ist. always: solange Sotto es hat. never: gar nicht. Braucht das installierte Sotto und nftables.',
    unit: null,
  },
  'cache.entries': {
    help: 'So viele Antworten werden bis zu ihrem Ablauf aufbewahrt; 0 bewahrt keine auf.',
    unit: 'Einträge',
  },
  'cache.serveStale': {
    help: 'Antwortet mit abgelaufenen Daten, solange kein Anbieter erreichbar ist, und kennzeichnet sie (RFC 8767). „at-once“ tut es immer und fragt danach nach neuen: kein Warten, aber Adressen können alt sein.',
    unit: null,
  },
  'cache.staleHours': {
    help: 'So lange nach ihrem Ablauf darf eine Antwort noch genutzt werden. Zählt nur, wo Abgelaufenes genutzt wird.',
    unit: 'Stunden',
  },
  'cache.hotSet': {
    help: 'So viele oft gefragte Namen werden bei ihrem Ablauf erneut gefragt; kostet höchstens ebenso viele Anfragen je Minute.',
    unit: 'Namen',
  },
  'connections.keepWarm': {
    help: 'Öffnet eine geschlossene Verbindung wieder, bevor Sie sie brauchen, solange Sie den Computer benutzen.',
    unit: null,
  },
  'connections.dialsPerHour': {
    help: 'So viele Verbindungen werden je Stunde höchstens zu einem Anbieter geöffnet, bevor jemand fragt; 0 öffnet keine.',
    unit: 'Verbindungen je Stunde',
  },
  'connections.keepWarmOnBattery': {
    help: 'Verbindungen werden auch ohne Netzstrom warm gehalten.',
    unit: null,
  },
  'connections.fastOpen': {
    help: 'Die ersten Oktette gehen schon mit dem ersten Paket hinaus (RFC 7413), was eine Umlaufzeit spart. Ein Weg, der solche Pakete verschluckt, wird gemerkt.',
    unit: null,
  },
  'connections.ticketHours': {
    help: 'Ein Ticket erspart die halbe nächste Aushandlung und verrät dem Anbieter, dass Sie es wieder sind. Es liegt nur im Arbeitsspeicher und gilt einmal, nur in diesem Netz; 0 bewahrt keine auf.',
    unit: 'Stunden',
  },
  'connections.postQuantum': {
    help: 'Ob heute Aufgezeichnetes ungelesen bleibt, wenn es Quantencomputer gibt (X25519MLKEM768). „prefer“: wo Server und Weg es zulassen; ein Weg, der so große Hellos nicht durchlässt, bekommt ein kleineres, was für dieses Netz gemerkt wird. „require“: keine Verbindung ohne; viele Server haben es nicht. Lässt ein Weg keine großen Hellos durch, scheitert dann jede verschlüsselte Verbindung, und es gilt, was für diesen Fall erlaubt ist: mit „fallback“ gehen Namen unverschlüsselt hinaus, obwohl ein kleineres Hello durchkäme. „off“: es wird nie angeboten.',
    unit: null,
  },
  'portal.detect': {
    help: 'Ohne verschlüsselte Verbindung herausfinden, ob das Netz eine Anmeldung verlangt, ohne einen gefragten Namen zu verraten. DNS bleibt dabei verschlüsselt.',
    unit: null,
  },
  'portal.minutes': {
    help: 'So lange darf das Anmeldefenster die Resolver des Netzes fragen, nur nach den Namen der Anmeldung; es endet früher, sobald eine verschlüsselte Verbindung besteht.',
    unit: 'Minuten',
  },
  'portal.probes': {
    help: 'Sie werden geholt, wo nichts Stärkeres Auskunft gibt: Tragen die meisten einen anderen Text, antwortet das Netz an ihrer Stelle. Eine leere Liste fragt niemanden.',
    unit: null,
  },
  'queryLog.mode': {
    help: 'full: ganze Namen. domain: nur die registrierbare Domain. counts: keine Namen. off: Nichts wird aufbewahrt.',
    unit: null,
  },
  'queryLog.programs': {
    help: 'Jede Anfrage nennt Programm, Konto und Container, von denen sie kam, soweit das System es weiß.',
    unit: null,
  },
  'queryLog.keepDays': {
    help: 'Ältere Anfragen werden gelöscht.',
    unit: 'Tage',
  },
  'queryLog.maxMegabytes': {
    help: 'Wachsen die Anfragen darüber hinaus, werden die ältesten Anfragen gelöscht.',
    unit: 'Megabyte',
  },
  'audit.connections': {
    help: 'Merkt sich die Adressen aus den Antworten und nennt die Programme, die andere erreichen: „sotto connections“. Nichts wird blockiert, und nichts davon kommt auf die Festplatte.',
    unit: null,
  },
  'metrics.listen': {
    help: 'Eine Adresse dieses Rechners („127.0.0.1:9653“, „[::1]:9653“) oder ein Unix-Socket („unix:/run/sotto/metrics.sock“), wo jedes Programm dieses Rechners, etwa Prometheus, unter /metrics Zahlen über Sotto abholen kann. Sie enthalten keine gefragten Namen und keine Konten. off: nirgends.',
    unit: null,
  },
  'metrics.collector': {
    help: 'Wohin dieselben Zahlen etwa jede Minute gehen, als OTLP über HTTPS („https://otel.example.com/v1/metrics“). Der Empfänger erfährt die Adresse dieses Rechners und eine Nummer, die für ihn steht. off: nirgendwohin.',
    unit: null,
  },
  'dnstap.socket': {
    help: 'Der Unix-Socket eines dnstap-Empfängers auf diesem Rechner. Er bekommt jede Anfrage mit den Namen, die aufbewahrt werden: ganze, registrierbare Domains oder gar keine. Sein Konto muss die Anfragen lesen dürfen. off: kein Empfänger.',
    unit: null,
  },
};

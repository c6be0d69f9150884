/** Every setting as the window says it in German. */
import type { SettingKey } from '../../../app/contract/settings/settings.ts';
import type { SaidSetting } from '../en/said-settings.ts';

export const saidSettings: Record<SettingKey, SaidSetting> = {
  listen: {
    label: 'Adressen für Programme',
    about: 'Wo Programme dieses Computers Sotto fragen.',
    also: 'lauschen erreichbar port adresse',
  },
  upstreams: {
    label: 'Anbieter',
    about: 'Wer die Anfragen dieses Computers beantwortet.',
    also: 'resolver server quad9 mullvad dns',
  },
  'crossCheck.names': {
    label: 'Anbieter vergleichen',
    about:
      'Jeder Anbieter wird regelmäßig nach diesen Namen gefragt und erfährt sie; Widersprüche werden gemeldet.',
    also: 'gegenprobe widerspruch zensur vergleich',
  },
  strategy: {
    label: 'Auswahl unter den Anbietern',
    about: 'Welcher Anbieter gefragt wird, wenn es mehrere gibt.',
    also: 'strategie schnellster reihenfolge verteilen wettlauf',
  },
  downgrade: {
    label: 'Ohne verschlüsselte Verbindung',
    about: 'Was mit Anfragen geschieht, wenn kein Anbieter verschlüsselt erreichbar ist.',
    also: 'richtlinie verweigern fragen klartext unverschlüsselt privat herabstufung',
  },
  rungs: {
    label: 'Unverschlüsselte Wege',
    about:
      'Was genutzt werden darf, sobald Anfragen unverschlüsselt hinausgehen dürfen, von oben nach unten versucht.',
    also: 'stufen leiter tcp udp tls klartext',
  },
  consent: {
    label: 'Wer unverschlüsselte Anfragen erlauben darf',
    about: 'Wessen Zustimmung zählt, wenn Sotto fragt.',
    also: 'zustimmung erlaubnis administrator jeder',
  },
  pause: {
    label: 'Pausieren',
    about: 'Ob eine Pause einen Code vom Helpdesk Ihrer Organisation braucht.',
    also: 'anhalten ausschalten helpdesk code pausencode',
  },
  refuseFor: {
    label: 'Nie unverschlüsselt für',
    about:
      'Anfragen, auf die eine dieser Bedingungen passt, gehen nie unverschlüsselt hinaus, was sonst auch erlaubt ist.',
    also: 'bedingung benutzer konto dienst netzwerk uhrzeit verweigern',
  },
  groups: {
    label: 'Gruppen von Anbietern',
    about: 'Manche Namen gehen an eigene Anbieter, mit eigener Richtlinie.',
    also: 'gruppe firma domain namen vpn',
  },
  bypass: {
    label: 'Ausnahmen',
    about: 'Namen, nach denen anderswo gefragt wird, unverschlüsselt.',
    also: 'umgehung regel endung firma vpn intern',
  },
  learnRules: {
    label: 'Ausnahmen von VPNs',
    about: 'Ob Namen, die ein VPN oder ein Netzwerk beansprucht, von selbst Ausnahmen werden.',
    also: 'lernen regel tunnel wireguard anspruch automatisch',
  },
  allowPrivate: {
    label: 'Namen mit privaten Adressen',
    about:
      'Namen, deren Antworten in Ihr eigenes Netzwerk führen dürfen; sonst werden solche Antworten blockiert.',
    also: 'lan heimnetz router lokal intranet',
  },
  forwardSpecial: {
    label: 'Weitergereichte Sondernamen',
    about:
      'Reservierte Namen wie „test“, die Ihr Anbieter kennt; die anderen werden hier beantwortet.',
    also: 'reserviert lokal rückwärts arpa',
  },
  systemResolvers: {
    label: 'Solange Sotto aus oder pausiert ist',
    about: 'Wer dann gefragt wird, unverschlüsselt.',
    also: 'system resolver pause dhcp provider router',
  },
  'systemDns.take': {
    label: 'Diesen Computer schützen',
    about: 'Jedes Programm dieses Computers fragt Sotto, solange es an ist.',
    also: 'system-dns übernehmen alle programme zurückgeben',
  },
  'systemDns.mechanism': {
    label: 'Wie dieser Computer geschützt wird',
    about: 'Der Teil des Systems, dem gesagt wird, dass er Sotto fragen soll.',
    also: 'weg systemd-resolved networkmanager resolvconf resolv.conf',
  },
  'systemDns.close': {
    label: 'Anfragen an Sotto vorbei abweisen',
    about:
      'Hält Programme auf, die unverschlüsselt jemand anderen fragen, obwohl dieser Computer geschützt ist.',
    also: 'firewall sperren port 53 nftables leck erzwingen',
  },
  'cache.entries': {
    label: 'Gemerkte Antworten',
    about: 'So viele Antworten werden bis zu ihrem Ablauf aufbewahrt; 0 bewahrt keine auf.',
    also: 'cache größe speicher',
  },
  'cache.serveStale': {
    label: 'Abgelaufene Antworten nutzen',
    about:
      'Antwortet mit abgelaufenen Daten, solange kein Anbieter erreichbar ist; oder immer, und fragt danach nach neuen.',
    also: 'veraltet schnell offline ausfall cache rfc 8767',
  },
  'cache.staleHours': {
    label: 'Abgelaufene Antworten nutzen für',
    about: 'So lange nach ihrem Ablauf darf eine Antwort noch genutzt werden.',
    also: 'veraltet stunden cache',
  },
  'cache.hotSet': {
    label: 'Vorab gefragte Namen',
    about:
      'So viele oft gefragte Namen werden bei ihrem Ablauf erneut gefragt; kostet höchstens ebenso viele Anfragen je Minute.',
    also: 'hot set schnell cache',
  },
  'connections.keepWarm': {
    label: 'Verbindungen bereithalten',
    about:
      'Öffnet eine Verbindung wieder, bevor Sie sie brauchen, solange Sie den Computer benutzen.',
    also: 'warm dauerhaft schnell geschwindigkeit',
  },
  'connections.dialsPerHour': {
    label: 'Grenze für bereite Verbindungen',
    about: 'So viele werden höchstens im Voraus zu einem Anbieter geöffnet; 0 öffnet keine.',
    also: 'warm rate wiederverbinden',
  },
  'connections.keepWarmOnBattery': {
    label: 'Auch im Akkubetrieb bereithalten',
    about: 'Hält Verbindungen auch ohne Netzstrom bereit.',
    also: 'warm laptop energie strom',
  },
  'connections.fastOpen': {
    label: 'TCP Fast Open',
    about: 'Schickt die erste Anfrage mit dem ersten Paket, was eine Umlaufzeit spart.',
    also: 'tfo aushandlung geschwindigkeit',
  },
  'connections.ticketHours': {
    label: 'Verschlüsselte Sitzungen merken für',
    about:
      'Macht die nächste Verbindung schneller und zeigt dem Anbieter, dass Sie es wieder sind; 0 merkt keine.',
    also: 'tls tickets wiederaufnahme sitzung verfolgung',
  },
  'connections.postQuantum': {
    label: 'Sicher vor Quantencomputern',
    about: 'Ob heute Aufgezeichnetes auch später ungelesen bleibt: wo es geht, immer oder nie.',
    also: 'post-quanten x25519mlkem768 ml-kem kyber schlüsselaustausch aufzeichnen hello',
  },
  'portal.detect': {
    label: 'Anmeldeseiten bemerken',
    about:
      'Findet heraus, ob ein WLAN eine Anmeldung verlangt, ohne jemandem zu verraten, wonach Sie gefragt haben.',
    also: 'portal wifi wlan hotel hotspot',
  },
  'portal.minutes': {
    label: 'Zeit für eine Anmeldung',
    about: 'So lange darf unverschlüsselt nach der Anmeldeseite gefragt werden.',
    also: 'portal wlan fenster',
  },
  'portal.probes': {
    label: 'Seiten mit bekanntem Text',
    about: 'Ein WLAN, das für diese Seiten einen anderen Text liefert, verlangt eine Anmeldung.',
    also: 'portal probe prüfung adresse',
  },
  'queryLog.mode': {
    label: 'Was von Anfragen bleibt',
    about: 'Wie viel von jeder Anfrage auf diesem Computer aufbewahrt wird.',
    also: 'protokoll verlauf namen domain privatheit aufzeichnen aus',
  },
  'queryLog.programs': {
    label: 'Programme zu Anfragen',
    about: 'Bewahrt auf, welches Programm, Konto und welcher Container gefragt hat.',
    also: 'protokoll prozess benutzer zuordnung',
  },
  'queryLog.keepDays': {
    label: 'Anfragen aufbewahren für',
    about: 'Ältere Anfragen werden gelöscht.',
    also: 'protokoll verlauf dauer tage löschen',
  },
  'queryLog.maxMegabytes': {
    label: 'Platz für Anfragen',
    about: 'Darüber hinaus werden die ältesten Anfragen gelöscht.',
    also: 'protokoll größe festplatte platz grenze',
  },
  'audit.connections': {
    label: 'Verbindungen ohne Namen suchen',
    about: 'Nennt Programme, die Adressen erreichen, die keine Antwort nannte; blockiert nichts.',
    also: 'prüfung feste adresse vorbei',
  },
  'metrics.listen': {
    label: 'Zahlen zum Abholen',
    about: 'Wo Überwachungsprogramme Zahlen ohne Namen abholen.',
    also: 'prometheus openmetrics monitoring messwerte metriken',
  },
  'metrics.collector': {
    label: 'Zahlen verschicken',
    about: 'Wohin Sotto jede Minute Zahlen ohne Namen schickt.',
    also: 'opentelemetry otlp collector monitoring messwerte metriken',
  },
  'dnstap.socket': {
    label: 'Anfragen an einen dnstap-Empfänger',
    about: 'Ein Programm dieses Computers, das jede Anfrage mitbekommt.',
    also: 'dnstap fstrm mitschnitt empfänger namen',
  },
};

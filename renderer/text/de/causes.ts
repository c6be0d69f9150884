/** Why an upstream gave no response, by the engine's code (native/engine/src/upstream/failure/). */
import type { remedySentences } from '../../../app/contract/sentences/remedies.ts';

type WithRemedy<Code> = Code extends `after-${infer Word}` ? Word : never;
type Cause = WithRemedy<keyof typeof remedySentences>;

export const causes: Readonly<Record<Cause, string>> = {
  unknown: 'keine Antwort, Grund unbekannt',
  'connect-failed': 'keine Verbindung möglich',
  'no-response': 'keine Antwort auf den Verbindungsaufbau',
  'timed-out': 'keine Antwort in der gesetzten Zeit',
  'still-connecting': 'die Verbindung wird noch aufgebaut',
  dead: 'die Verbindung ist verstummt',
  closed: 'der Server hat die Verbindung beendet',
  'bad-response': 'unbrauchbare Antwort',
  'encdns-not-carried': 'brachte keine Antwort von EncDNS',
  'encdns-name-too-long': 'der Name ist zu lang für EncDNS',
  unwanted: 'das Programm, das fragte, war weg',
  resting: 'ruht nach Fehlern',
  'starttls-failed': 'STARTTLS ist gescheitert',
  'starttls-declined-before': 'der Server hat STARTTLS vor weniger als einer Minute abgelehnt',
  'tls-failed': 'TLS ist gescheitert',
  'certificate-name': 'das Zertifikat nennt einen anderen Namen',
  'certificate-pin': 'der Schlüssel passt zu keinem Pin',
  'certificate-unpinned': 'kein Zertifikat der Kette passt zu einem Pin',
  'certificate-expired': 'das Zertifikat ist abgelaufen',
  'certificate-not-yet-valid': 'das Zertifikat gilt noch nicht',
  'certificate-issuer': 'das Zertifikat kommt von keiner vertrauten Ausgabestelle',
  'certificate-unusable': 'das Zertifikat ist unbrauchbar',
  'identity-wanted': 'der Server verlangt ein Client-Zertifikat',
  'identity-missing': 'die Client-Identität fehlt auf diesem Rechner',
  'identity-unusable': 'die Client-Identität ist unbrauchbar',
  'identity-expired': 'das Zertifikat der Client-Identität ist abgelaufen',
  'identity-refused': 'der Server nimmt die Client-Identität nicht an',
  'proxy-away': 'der Proxy ist nicht erreichbar',
  'proxy-not-socks': 'der Proxy spricht kein SOCKS5',
  'proxy-refused': 'der Proxy verweigert die Verbindung',
  'proxy-unreachable': 'der Proxy erreicht den Server nicht',
  'lease-missing': 'ohne TLS und nicht erlaubt',
  'not-permitted': 'ohne TLS und nicht erlaubt',
};

/** Who set something, where it is the service itself and not a name. */
export const setterSentences = {
  settings: 'your settings',
  defaults: 'the defaults',
  policy: 'a policy',
  profile: 'the profile',
  guardian: 'the guardian',
  somebody: 'somebody',
  pause: 'the end of the pause',
  network: 'what was set for the network {network}',
  vpn: 'the VPN link {link}',
} as const;

export const setters: Readonly<Record<keyof typeof setterSentences, string>> = {
  settings: 'Ihre Einstellungen',
  defaults: 'die Vorgaben',
  policy: 'eine Richtlinie',
  profile: 'das Profil',
  guardian: 'den Wächter',
  somebody: 'jemanden',
  pause: 'das Ende der Pause',
  network: 'die Einstellung für das Netz {network}',
  vpn: 'die VPN-Verbindung {link}',
};

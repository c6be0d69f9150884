import type { coverageMapSentences as english } from '../../../../app/contract/sentences/coverage-map.ts';

export const coverageMap: Record<keyof typeof english, string> = {
  'counted-around':
    '{who} hat {count} {count|Anfrage oder Verbindung|Anfragen oder Verbindungen} an Sotto vorbei an {to} geschickt.',
  'counted-around-hidden':
    'Das Programm eines anderen Benutzers hat {count} {count|Anfrage oder Verbindung|Anfragen oder Verbindungen} an Sotto vorbei an {to} geschickt.',
  'counted-behind':
    '{from}, hinter {interface}, hat {count} {count|Anfrage oder Verbindung|Anfragen oder Verbindungen} durch diesen Rechner an {to} geschickt.',
  'counted-others':
    'Mehr Programme, als sich unterscheiden lassen, haben {count} {count|Anfrage oder Verbindung|Anfragen oder Verbindungen} an Sotto vorbei an {to} geschickt; {rejected} weitere {rejected|wurde|wurden} abgewiesen.',
  'counted-rejected': '{rejected} weitere {rejected|wurde|wurden} abgewiesen.',
  'counted-all-rejected':
    'Was {who} an {to} geschickt hat, wurde abgewiesen, {rejected} Mal; nichts ist hinausgegangen.',
  'counted-all-rejected-hidden':
    'Was das Programm eines anderen Benutzers an {to} geschickt hat, wurde abgewiesen, {rejected} Mal; nichts ist hinausgegangen.',
  'connection-around':
    '{who} hat {count} {count|Verbindung|Verbindungen} zu {to}, der Adresse eines Resolvers.',
  'connection-around-hidden':
    'Das Programm eines anderen Benutzers hat {count} {count|Verbindung|Verbindungen} zu {to}, der Adresse eines Resolvers.',
  'seldom-around': 'Für das Urteil kam das zu selten vor.',
  'fix-program':
    'lassen Sie es den Resolver des Systems benutzen: Suchen Sie in seinen Einstellungen einen DNS-Server oder DNS über HTTPS',
  'fix-behind':
    'lassen Sie Sotto an der Adresse lauschen, die dieser Rechner dort hat (Einstellung „listen“), und geben Sie diese dort als Resolver an',
  'fix-other-computer': 'ändern Sie den Resolver dort; es ist ein anderer Rechner',
  'fix-others':
    'ein Programm, das an Hunderte Adressen sendet oder in Hunderten von Kontrollgruppen läuft, verdeckt andere: Suchen Sie es mit „ss -tunp“',
  'fix-nothing-left':
    'nichts ist hinausgegangen; damit es aufhört, ändern Sie den Resolver in seinen Einstellungen',
  'limit-uncounted': 'Pakete können hier nicht gezählt werden: {why}.',
  'limit-https':
    'DNS über HTTPS sieht aus wie jede andere Verbindung: Sotto sieht nur Verbindungen zu bekannten Resolvern, und nur solche, die bestehen, wenn es nachsieht, zweimal in der Minute.',
  'limit-raw':
    'Programme von root, die ihre Pakete selbst herstellen (Paket-Sockets), werden nicht gezählt, und auch keine Container, die mit einem Netz verbrückt sind.',
  'limit-profiles':
    'Der Dienst darf die Browser-Einstellungen der Benutzer nicht lesen; „sotto coverage“ ergänzt die der Person, die es aufruft.',
};

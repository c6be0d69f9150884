import { expect, test } from 'vitest';
import { loadLanguage } from '../../text/loaded.ts';
import { wordsIn } from '../../text/use-text.ts';
import { stepWords } from './step-words.ts';

await loadLanguage('en');
await loadLanguage('de');

/** Every text of native/engine/src/probe/attempt.rs, but the errors. */
const steps = [
  ['TCP to [2001:db8::1]:853', 'TCP-Verbindung zu [2001:db8::1]:853'],
  [
    'TCP to 192.0.2.1:53, with what follows in its first packet',
    'TCP-Verbindung zu 192.0.2.1:53; was folgt, geht mit dem ersten Paket',
  ],
  ['the server accepted STARTTLS', 'der Server nimmt STARTTLS an'],
  [
    'TLS 1.3, resumed, AES, X25519, name dns.example checked, pin checked',
    'TLS 1.3, wiederaufgenommen, AES, X25519, das Zertifikat gilt für dns.example, ein Pin passt',
  ],
  ['TLS 1.2, AES, ', 'TLS 1.2, AES'],
  ['128 octets inside TLS, padded', '128 B, verschlüsselt und aufgefüllt'],
  ['41 octets by UDP, in cleartext', '41 B über UDP, unverschlüsselt'],
  ['NXDOMAIN, 468 octets', 'NXDOMAIN, 468 B'],
  ['resumed, open after 1 round trips', 'wiederaufgenommen, offen nach Umläufen: 1'],
  [
    'a full handshake again, open after 3 round trips',
    'erneut voll ausgehandelt, offen nach Umläufen: 3',
  ],
] as const;

test.each(steps)('%s', (english, german) => {
  const { text, formats } = wordsIn('de', ['de-DE']);
  expect(stepWords(english, text, formats)).toBe(german);
});

test('what is not known is left to the caller', () => {
  const { text, formats } = wordsIn('de', ['de-DE']);
  expect(stepWords('something new', text, formats)).toBeNull();
});

/**
 * The steps of a test in the page's language. The engine says them in English (native/engine/src/probe/attempt.rs); what the page
 * does not know is null. Pure.
 */
import { safe } from '../../../app/contract/text/visible-text.ts';
import type { Text } from '../../text/catalogue.ts';
import type { Formats } from '../../text/formats.ts';

type Say = (found: RegExpExecArray, words: Text['upstreams']['test'], formats: Formats) => string;

/** The rest: cipher, group, and what proved the server's identity. */
const secured = /^TLS (?<version>[^,]+)(?<resumed>, resumed)?, (?<rest>.*)$/;

const known: readonly (readonly [RegExp, Say])[] = [
  [/^TCP to ([^ ,]+)$/, ([, at = ''], words) => words.said.connected(safe(at))],
  [
    /^TCP to ([^ ,]+), with what follows in its first packet$/,
    ([, at = ''], words) => words.said.deferred(safe(at)),
  ],
  [/^the server accepted STARTTLS$/, (_found, words) => words.said.accepted],
  [secured, sayTls],
  [
    /^(\d+) octets inside TLS, padded$/,
    ([, size], words, formats) => words.said.padded(formats.octets(Number(size))),
  ],
  [
    /^(\d+) octets by (TCP|UDP), in cleartext$/,
    ([, size, by = ''], words, formats) => words.said.clear(formats.octets(Number(size)), by),
  ],
  [
    /^([A-Z0-9]+), (\d+) octets$/,
    ([, code = '', size], _words, formats) => `${code}, ${formats.octets(Number(size))}`,
  ],
  [
    /^(resumed|a full handshake again), open after (\d+) round trips$/,
    ([, how, trips], { said }, formats) => {
      const count = formats.count(Number(trips));
      return how === 'resumed' ? said.resumed(count) : said.full(count);
    },
  ],
];

export function stepWords(english: string, words: Text, formats: Formats): string | null {
  for (const [pattern, say] of known) {
    const found = pattern.exec(english);
    if (found !== null) return say(found, words.upstreams.test, formats);
  }
  return null;
}

function sayTls({ groups = {} }: RegExpExecArray, words: Text['upstreams']['test']): string {
  const { version = '', resumed, rest = '' } = groups;
  const parts = rest.split(', ').map((part) => {
    const name = /^name (.+) checked$/.exec(part)?.[1];
    if (name !== undefined) return words.nameChecked(safe(name));
    return part === 'pin checked' ? words.pinned : safe(part);
  });
  return [words.version(safe(version)), ...(resumed === undefined ? [] : [words.resumed]), ...parts]
    .filter((part) => part !== '')
    .join(', ');
}

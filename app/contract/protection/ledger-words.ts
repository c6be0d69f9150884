/**
 * The reasons for which a permission to send in cleartext ends. The ledger keeps them as text, which outlives versions, so they
 * are recognised by these sentences.
 */
import { fill, placesOf } from '../sentences/sentence-template.ts';

export const ledgerEndings = {
  'network-changed': 'the network changed',
  'time-over': 'its time ran out',
  'private-again': 'a private path works again',
  'rule-gone':
    'its rule is gone: the settings, its hours, the network, the link or the answer changed',
  'not-wanted': 'it is not wanted any more',
  interrupted: 'interrupted',
  'runs-again': 'Sotto runs again',
  'asked-again': 'the system asks Sotto again',
  asked: 'it was asked',
  'switched-on': 'switched on by {who}',
  'switched-off': 'switched off by {who}',
  paused: 'paused by {who}',
} as const;

export type LedgerEnding = keyof typeof ledgerEndings;

/** Which of these sentences a text is, and the value of its one parameter; null: none of them. */
export function recognise<Code extends string>(
  text: string,
  sentences: Readonly<Record<Code, string>>,
): { code: Code; params: Record<string, string> } | null {
  for (const [code, sentence] of Object.entries(sentences) as [Code, string][]) {
    const [place] = placesOf(sentence).names;
    if (place === undefined) {
      if (text === sentence) return { code, params: {} };
      continue;
    }
    const [before = '', after = ''] = sentence.split(/\{.*\}/);
    const params = { [place]: text.slice(before.length, text.length - after.length) };
    if (text === fill(sentence, params, { plain: String })) return { code, params };
  }
  return null;
}

/**
 * What the service says to a person: the code of a sentence, and its parameters. The English is declared here, once, for the
 * service, the command line and the page; other languages have a sentence for every code (renderer/text/de/sentences).
 */
import type { z } from 'zod';
import { sayDuration } from '../text/duration.ts';
import { sayLatency, sayOctets } from '../text/quantity.ts';
import { comparisonSentences } from './comparison.ts';
import { connectionsSentences } from './connections.ts';
import { coverageSentences } from './coverage.ts';
import { coverageMapSentences } from './coverage-map.ts';
import { detailSentences } from './details.ts';
import { examinationSentences } from './examination.ts';
import { fixSentences } from './fixes.ts';
import { remedySentences } from './remedies.ts';
import type { said } from './said.ts';
import { fill, type PlacesOf, type Value } from './sentence-template.ts';
import { standingSentences } from './standing.ts';
import { verdictSentences } from './verdict.ts';

export const sentences = {
  ...verdictSentences,
  ...standingSentences,
  ...examinationSentences,
  ...coverageSentences,
  ...connectionsSentences,
  ...comparisonSentences,
  ...fixSentences,
  ...coverageMapSentences,
  ...detailSentences,
  ...remedySentences,
} as const satisfies Readonly<Record<string, string>>;

export type SentenceCode = keyof typeof sentences;

export type Said = z.infer<typeof said>;

type ParamsOf<Code extends SentenceCode> = Readonly<
  Record<PlacesOf<(typeof sentences)[Code]>, Value> & Record<string, Value>
>;
type Places<Code extends SentenceCode> = [PlacesOf<(typeof sentences)[Code]>] extends [never]
  ? [params?: Readonly<Record<string, Value>>]
  : [params: ParamsOf<Code>];

/** Parameters beyond those of the English sentence are for languages that need them. */
export function say<Code extends SentenceCode>(code: Code, ...[params]: Places<Code>): Said {
  return { code, params: { ...params } };
}

/** Writes points in time: the caller knows locale and time zone. */
export type WriteTime = (unixMilliseconds: number) => string;

/** Joins the sentences to one text. `writeTime`: for moments that a person reads; without it, as ISO 8601. */
export function inEnglish(
  all: Said | readonly Said[],
  writeTime: WriteTime = english.time,
): string {
  const forms = { ...english, moment: (value: Value) => writeTime(Number(value)) };
  return [all]
    .flat()
    .map(({ code, params }) => fill(sentences[code as SentenceCode], params, forms))
    .join(' ');
}

const english = {
  plain: (value) => String(value),
  octets: (value) => sayOctets(Number(value)),
  duration: (value) => sayDuration(Number(value)),
  latency: (value) => sayLatency(Number(value)),
  left: (value) => sayDuration(Math.max(0, Number(value) - Date.now())),
  time: (value) => new Date(Number(value)).toISOString(),
} satisfies Record<string, (value: Value) => string>;

/** What the responses of several upstreams to one query say together, and the sentence that tells a person. */
import { z } from 'zod';
import { said } from '../sentences/said.ts';
import { inEnglish, type Said, say } from '../sentences/sentence.ts';

const judgement = z.strictObject({
  /**
   * "too-few": less than two responses can be compared; "agreement": what differs is what content networks do, too. All others
   * are disagreements, and tell in what.
   */
  is: z.enum(['too-few', 'agreement', 'no-answer', 'blocking-address', 'other-domain']),
  /** upstreams whose responses were compared; others gave none, or a failure */
  compared: z.array(z.string()),
  /**
   * upstreams by what they say; of "no-answer" and "blocking-address" the second side is the one that says so; null: they do
   * not disagree
   */
  sides: z.tuple([z.array(z.string()), z.array(z.string())]).nullable(),
  /** the only one that says what it says, where several others agree; null: nobody can tell */
  alone: z.string().nullable(),
});

export const comparison = z.strictObject({
  ...judgement.shape,
  text: z.string(),
  /** its code, for clients in another language */
  says: said,
});

export type Judgement = z.infer<typeof judgement>;
export type Comparison = z.infer<typeof comparison>;

export function withWords(judged: Judgement): Comparison {
  const says = sayJudgement(judged);
  return { ...judged, text: inEnglish(says), says };
}

/** `nameOf`: an upstream, for people. */
export function sayJudgement(
  { is, sides, alone }: Judgement,
  nameOf: (upstream: string) => string = (upstream) => upstream,
): Said {
  if (is === 'too-few' || is === 'agreement') return say(`upstreams-${is}`);
  const [first, second] = sides ?? [[], []];
  const told = {
    first: first.map(nameOf).join(', '),
    firstCount: first.length,
    second: second.map(nameOf).join(', '),
    secondCount: second.length,
  };
  return alone === null
    ? say(`upstreams-differ-${is}`, told)
    : say(`upstream-alone-${is}`, { ...told, alone: nameOf(alone) });
}

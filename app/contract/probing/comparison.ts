/** What the responses of several upstreams to one query say together, and the sentence that tells a person. */
import { z } from 'zod';
import { type Said, say } from '../sentences/sentence.ts';

export const comparison = z.strictObject({
  /**
   * "too-few": less than two responses can be compared; "agreement": what differs is what content networks do, too. All others
   * are disagreements, and tell in what.
   */
  is: z.enum(['too-few', 'agreement', 'no-answer', 'blocking-address', 'other-domain']),
  /** upstreams by what they say; of "no-answer" and "blocking-address" the second side is the one that says so */
  sides: z.tuple([z.array(z.string()), z.array(z.string())]).nullable(),
  /** the only one that says what it says, where several others agree; null: nobody can tell */
  alone: z.string().nullable(),
});

export type Comparison = z.infer<typeof comparison>;

export const tooFew: Comparison = { is: 'too-few', sides: null, alone: null };
export const agreement: Comparison = { is: 'agreement', sides: null, alone: null };

export function isDisagreement({ sides }: Comparison): boolean {
  return sides !== null;
}

/** `nameOf`: an upstream, for people. */
export function sayComparison(
  { is, sides, alone }: Comparison,
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

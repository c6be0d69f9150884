/**
 * The result of a check of our supply chain: nothing found, something found, or a source could not be reached. The last is a
 * failure, too, with an exit status of its own.
 */
export type Answer =
  | { kind: 'clean'; said: string }
  | { kind: 'found'; said: string }
  | { kind: 'unasked'; said: string };

export const clean = (said: string): Answer => ({ kind: 'clean', said });
export const found = (said: string): Answer => ({ kind: 'found', said });
export const unasked = (said: string): Answer => ({ kind: 'unasked', said });

export const exitCodes = { clean: 0, found: 1, unasked: 3 } as const;

/** A finding outweighs a source that could not be reached. */
export function exitCode(answers: readonly Answer[]): number {
  const kinds = new Set(answers.map(({ kind }) => kind));
  const worst = kinds.has('found') ? 'found' : kinds.has('unasked') ? 'unasked' : 'clean';
  return exitCodes[worst];
}

/**
 * What came of a question about our supply: nothing found, something found, or nobody could be asked. The last is no consolation: it
 * fails, too, with a status of its own.
 */
export type Answer =
  | { kind: 'clean'; said: string }
  | { kind: 'found'; said: string }
  | { kind: 'unasked'; said: string };

export const clean = (said: string): Answer => ({ kind: 'clean', said });
export const found = (said: string): Answer => ({ kind: 'found', said });
export const unasked = (said: string): Answer => ({ kind: 'unasked', said });

export const exitCodes = { clean: 0, found: 1, unasked: 3 } as const;

/** What was found outweighs what could not be asked. */
export function exitCode(answers: readonly Answer[]): number {
  const kinds = new Set(answers.map(({ kind }) => kind));
  const worst = kinds.has('found') ? 'found' : kinds.has('unasked') ? 'unasked' : 'clean';
  return exitCodes[worst];
}

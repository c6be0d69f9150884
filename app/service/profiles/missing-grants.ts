/** What has to be allowed until nothing waits any more. Pure. */
import type { Grant } from '../../contract/settings/profile-methods.ts';
import type { WaitingEntry } from './decide-entries.ts';

export interface MissingGrant {
  /** null: no profile may do this */
  grant: Grant | null;
  /** settings, each with the network on which it would hold */
  settings: Pick<WaitingEntry, 'key' | 'network'>[];
}

/** A setting waits for one grant after the other, so what was missing is allowed until nothing more is. */
export function missingGrants(
  waitingWith: (allowed: readonly Grant[]) => readonly WaitingEntry[],
): MissingGrant[] {
  const missing = new Map<Grant, MissingGrant['settings']>();
  for (;;) {
    const waiting = Map.groupBy(waitingWith([...missing.keys()]), ({ grant }) => grant);
    const never = waiting.get(null)?.map(named) ?? [];
    waiting.delete(null);
    if (waiting.size === 0)
      return [
        ...[...missing].map(([grant, settings]) => ({ grant, settings })),
        ...(never.length === 0 ? [] : [{ grant: null, settings: never }]),
      ];
    for (const [grant, of] of waiting) missing.set(grant as Grant, of.map(named));
  }
}

function named({ key, network }: WaitingEntry): MissingGrant['settings'][number] {
  return network === undefined ? { key } : { key, network };
}

/** How the service ends a permission now; null where no method does. Pure. */
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { rulesInList } from '../../../app/contract/protection/list-word.ts';

export type WayToStop = 'policy' | 'off' | 'paused' | 'bypass';

export function wayToStop({ class: kind, rule, until, closed }: LedgerEntry): WayToStop | null {
  if (closed !== null) return null;
  switch (kind) {
    case 'policy':
      // An entry without an end is for upstreams without TLS, which no policy forbids.
      return until === null ? null : 'policy';
    case 'bypass':
      // A list is of a profile or of somebody who wrote it, and ends where it was written.
      return rulesInList(rule) === null ? 'bypass' : null;
    case 'off':
    case 'paused':
      return kind;
    default:
      return null;
  }
}

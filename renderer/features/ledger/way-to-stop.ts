/** How the service ends a permission now; null where no method does. Pure. */
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';

export type WayToStop = 'policy' | 'off' | 'paused' | 'bypass';

export function wayToStop({ class: kind, until, closed }: LedgerEntry): WayToStop | null {
  if (closed !== null) return null;
  switch (kind) {
    case 'policy':
      // An entry without an end is for upstreams without TLS, which no policy forbids.
      return until === null ? null : 'policy';
    case 'off':
    case 'paused':
    case 'bypass':
      return kind;
    default:
      return null;
  }
}

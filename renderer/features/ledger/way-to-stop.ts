/** How the service ends a permission now; null where nothing it can be told does. Pure. */
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';

export type WayToStop = 'policy' | 'off' | 'paused' | 'bypass';

export function wayToStop({ class: kind, until, closed }: LedgerEntry): WayToStop | null {
  if (closed !== null) return null;
  switch (kind) {
    case 'policy':
      // Without an end it is for upstreams without TLS, which no policy keeps from being asked.
      return until === null ? null : 'policy';
    case 'off':
    case 'paused':
    case 'bypass':
      return kind;
    default:
      return null;
  }
}

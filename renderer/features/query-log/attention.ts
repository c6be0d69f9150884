/** The one thing about a query that deserves attention, if any: the worst. */
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';

export type Attention = 'refused' | 'failed' | 'clear' | 'slow';

/** From here on people notice the delay; waiting for a connection is included. */
export const slowMs = 100;

export function attentionOf({ outcome, clear, ms }: QueryEvent): Attention | null {
  if (outcome === 'refused') return 'refused';
  if (outcome === 'failed' || outcome === 'dropped') return 'failed';
  if (clear !== 'none') return 'clear';
  return ms >= slowMs ? 'slow' : null;
}

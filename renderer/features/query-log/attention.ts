/** The one thing about a query that deserves attention, if any: the worst. */
import { slowMs } from '../../../app/contract/query-log/query-class.ts';
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';

export type Attention = 'refused' | 'failed' | 'clear' | 'slow';

export function attentionOf({ outcome, clear, ms }: QueryEvent): Attention | null {
  if (outcome === 'refused') return 'refused';
  if (outcome === 'failed' || outcome === 'dropped') return 'failed';
  if (clear !== 'none') return 'clear';
  return ms > slowMs ? 'slow' : null;
}

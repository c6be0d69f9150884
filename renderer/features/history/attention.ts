/** What of a question deserves to be seen, if anything: one thing, the worst. */
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';

export type Attention = 'refused' | 'failed' | 'clear' | 'slow';

/** Longer than a person fails to notice; waiting for a connection included. */
export const slowMs = 100;

export function attentionOf({ outcome, clear, ms }: QueryEvent): Attention | null {
  if (outcome === 'refused') return 'refused';
  if (outcome === 'failed' || outcome === 'dropped') return 'failed';
  if (clear !== 'none') return 'clear';
  return ms >= slowMs ? 'slow' : null;
}

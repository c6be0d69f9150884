/** Whether a trial ended as decision 0023 wants it. Pure. */
import type { Outcome } from './stage.ts';

/** Under refuse nothing goes past Sotto after the first moment; elsewhere an entry stands for what does. */
export function holds({ trial, later, entry, inFirstMoment }: Outcome): boolean {
  if (trial.policy === 'refuse') return later === 0;
  return later + inFirstMoment === 0 || entry;
}

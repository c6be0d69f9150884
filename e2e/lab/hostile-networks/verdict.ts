/** Whether a trial ended as decision 0023 demands. Pure. */
import type { Attack } from './attacks/attack.ts';
import { attacks } from './attacks/attacks.ts';
import type { Outcome } from './outcome.ts';

/** Depends on the speed of the machine, too. */
export const tooLate = 'names left while no entry stood';

/** What is wrong; empty where nothing is. */
export function faults(outcome: Outcome): string[] {
  const { trial, before, inFirstMoment, later, withoutEntry, entryBefore, entry, counted } =
    outcome;
  const follows = ['partly', 'unencrypted'].includes(outcome.verdict);
  const strict = trial.policy === 'refuse';
  const { besides }: Attack = attacks[trial.attack];
  const heard = before + inFirstMoment + later > 0;
  const found: [boolean, string][] = [
    [before > 0, 'names left before anybody overwrote anything'],
    [entryBefore, 'an entry stood before anybody overwrote anything'],
    [strict && later > 0, 'names left under refuse'],
    [(outcome.afterClosing ?? 0) > 0, 'names left although the gate was closed'],
    [strict && entry, 'an entry stood although nothing may pass'],
    [besides === true && entry && !heard, 'an entry stood, and nothing was contested'],
    [!strict && heard && !entry, 'names left, and no entry stood'],
    [!strict && withoutEntry > 0, tooLate],
    [counted, 'an entry has a count'],
    [outcome.standing && !follows, 'an entry stood, and the verdict claimed more'],
  ];
  return found.flatMap(([so, words]) => (so ? [words] : []));
}

export function holds(outcome: Outcome): boolean {
  return faults(outcome).length === 0;
}

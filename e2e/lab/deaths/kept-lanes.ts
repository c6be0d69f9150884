/** The lanes of a table: those that were run now, and of an earlier run those that were left out. Pure. */
import type { Lane } from './lane.ts';
import { type MechanismName, mechanisms } from './plan.ts';

/** `kept`: of an earlier run, null: nothing is. What is missing then, or null. */
export function missingLanes(
  chosen: readonly MechanismName[],
  kept: readonly Pick<Lane, 'mechanism'>[] | null,
): string | null {
  const there = new Set([...chosen, ...(kept ?? []).map(({ mechanism }) => mechanism)]);
  const missing = mechanisms.filter((name) => !there.has(name));
  return missing.length === 0 ? null : missing.join(', ');
}

export function allLanes(run: readonly Lane[], kept: readonly Lane[] | null): Lane[] {
  return mechanisms.flatMap((name) =>
    [...run, ...(kept ?? [])].filter(({ mechanism }) => mechanism === name).slice(0, 1),
  );
}

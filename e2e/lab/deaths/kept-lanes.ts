/** The lanes of a table: those of this run, and for the ones that it left out those of an earlier run. Pure. */
import { type MechanismName, mechanisms } from '../../networks/computer.ts';
import type { Lane } from './lane.ts';

/** `kept`: the lanes of an earlier run; null: there are none. Returns what is missing, or null. */
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

/** All cells, and several of them at once: each has networks and a service of its own. */
import { type Cell, observeCell } from './cell.ts';
import { faults } from './faults.ts';
import type { Identities } from './identities.ts';
import { policies } from './policies.ts';
import { judge, type Verdict } from './verdict.ts';

export const allCells: readonly Cell[] = faults.flatMap((fault) =>
  policies.map((policy) => ({ policy, fault })),
);

/** One promise for each cell, in their order, in which they also begin. */
export function runCells(
  cells: readonly Cell[],
  identities: Identities,
  atOnce: number,
): Promise<Verdict>[] {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  const seat = async () => {
    if (free-- <= 0) await new Promise<void>((begin) => waiting.push(begin));
  };
  const leave = () => {
    free++;
    waiting.shift()?.();
  };
  return cells.map(async (cell) => {
    await seat();
    try {
      return judge(cell, await observeCell(cell, identities));
    } catch (error) {
      return unfinished(cell, error as Error);
    } finally {
      leave();
    }
  });
}

function unfinished({ policy, fault }: Cell, { message }: Error): Verdict {
  return {
    policy: policy.name,
    fault: fault.name,
    states: [],
    captured: 0,
    ledger: null,
    entries: [],
    asked: 0,
    answered: 0,
    servfail: 0,
    lost: 0,
    privateAfterMs: null,
    lastClearAfterMs: null,
    restoredAfterMs: null,
    problems: [message],
  };
}

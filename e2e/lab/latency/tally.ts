/** What all rounds of one figure came to. Pure. */
import { median } from '../../../bench/statistics.ts';
import type { Figure, Measured, Reach } from './figure.ts';

export interface Cell {
  row: string;
  column: string;
  median: number;
  /** of each round */
  rounds: number[];
}

export interface Goal {
  row: string;
  column: string;
  /** null where that which it is measured against was not measured */
  atMost: number | null;
  /** null where it could not be measured yet */
  value: number | null;
  state: 'reached' | 'not reached yet' | 'not measured';
  needs: string;
}

export interface Result {
  figure: Figure;
  cells: Cell[];
  goals: Goal[];
  /** of all rounds, by row */
  distributions: Record<string, number[]>;
  /** what went wrong in a round; its values are missing */
  failures: string[];
}

export function tally(figure: Figure, rounds: readonly Measured[], failures: string[]): Result {
  const cells: Cell[] = [];
  const distributions: Record<string, number[]> = {};
  for (const { samples, distributions: drawn = {} } of rounds) {
    for (const { row, column, value } of samples) {
      const known = find(cells, row, column);
      if (known === undefined) cells.push({ row, column, median: value, rounds: [value] });
      else known.rounds.push(value);
    }
    for (const [row, values] of Object.entries(drawn))
      distributions[row] = [...(distributions[row] ?? []), ...values];
  }
  for (const cell of cells) cell.median = median(cell.rounds) ?? cell.median;
  const goals = figure.reach.map((reach) => judge(reach, cells));
  return { figure, cells, goals, distributions, failures };
}

export function find(cells: readonly Cell[], row: string, column: string): Cell | undefined {
  return cells.find((cell) => cell.row === row && cell.column === column);
}

function judge({ row, column, atMost, needs }: Reach, cells: readonly Cell[]): Goal {
  const value = find(cells, row, column)?.median ?? null;
  const limit =
    typeof atMost === 'number' ? atMost : (find(cells, atMost.row, atMost.column)?.median ?? null);
  const state =
    value === null || limit === null
      ? 'not measured'
      : value <= limit
        ? 'reached'
        : 'not reached yet';
  return { row, column, atMost: limit, value, state, needs };
}

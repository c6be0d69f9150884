/** The result of all rounds of one figure. Pure. */
import { median } from '../../../bench/statistics.ts';
import type { Figure, Measured, Reach, Spread } from './figure.ts';
import { quantile } from './quantile.ts';

export interface Cell {
  row: string;
  column: string;
  /** the median of the rounds; for a quantile, that of all values together */
  median: number;
  /** of each round */
  rounds: number[];
}

export interface Goal {
  row: string;
  column: string;
  /** null where the value to compare with was not measured */
  atMost: number | null;
  /** null where it could not be measured yet */
  value: number | null;
  state: 'reached' | 'not reached yet' | 'not measured';
  /** in how many rounds, of how many, it was at or below; a verdict that changes depends on chance */
  held: { rounds: number; of: number };
  needs: string;
}

export interface Result {
  figure: Figure;
  cells: Cell[];
  goals: Goal[];
  /** of all rounds */
  spreads: Spread[];
  /** what went wrong in a round, whose values are missing */
  failures: string[];
}

export function tally(figure: Figure, rounds: readonly Measured[], failures: string[]): Result {
  const spreads = pooled(rounds);
  const cells = [...mediansOf(rounds), ...quantilesOf(figure, rounds, spreads)];
  return { figure, cells, goals: goalsOf(figure, cells), spreads, failures };
}

export function goalsOf({ reach }: Figure, cells: readonly Cell[]): Goal[] {
  return reach.map((each) => judge(each, cells));
}

function mediansOf(rounds: readonly Measured[]): Cell[] {
  const cells: Cell[] = [];
  for (const { row, column, value } of rounds.flatMap(({ samples }) => samples)) {
    const known = find(cells, row, column);
    if (known === undefined) cells.push({ row, column, median: value, rounds: [value] });
    else known.rounds.push(value);
  }
  for (const cell of cells) cell.median = median(cell.rounds) ?? cell.median;
  return cells;
}

function pooled(rounds: readonly Measured[]): Spread[] {
  const all: Spread[] = [];
  for (const { row, of, values } of rounds.flatMap(({ spreads = [] }) => spreads)) {
    const known = all.find((each) => each.row === row && each.of === of);
    if (known === undefined) all.push({ row, of, values: [...values] });
    else known.values.push(...values);
  }
  return all;
}

/** The value of all rounds together, where other columns have a median. */
function quantilesOf(
  { quantiles = [] }: Figure,
  rounds: readonly Measured[],
  all: Spread[],
): Cell[] {
  return all.flatMap(({ row, of, values }) =>
    quantiles
      .filter((wanted) => wanted.of === of)
      .map(({ column, share }) => ({
        row,
        column,
        median: quantile(values, share),
        rounds: rounds
          .flatMap(({ spreads = [] }) => spreads)
          .filter((each) => each.row === row && each.of === of)
          .map((each) => quantile(each.values, share)),
      })),
  );
}

export function find(cells: readonly Cell[], row: string, column: string): Cell | undefined {
  return cells.find((cell) => cell.row === row && cell.column === column);
}

function judge({ row, column, atMost, needs }: Reach, cells: readonly Cell[]): Goal {
  const cell = find(cells, row, column);
  // Nothing costs less than nothing: such a difference is noise.
  const value = cell !== undefined && cell.median > 0 ? cell.median : null;
  const limit =
    typeof atMost === 'number' ? atMost : (find(cells, atMost.row, atMost.column)?.median ?? null);
  const state =
    value === null || limit === null
      ? 'not measured'
      : value <= limit
        ? 'reached'
        : 'not reached yet';
  const rounds = cell?.rounds ?? [];
  const held = {
    rounds: limit === null ? 0 : rounds.filter((each) => each <= limit).length,
    of: rounds.length,
  };
  return { row, column, atMost: limit, value, state, held, needs };
}

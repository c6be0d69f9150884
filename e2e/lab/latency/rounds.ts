/** Every figure in every round, with programs in another order each time, so that none always comes first. */
import { rotated } from '../../../bench/statistics.ts';
import type { Figure, Measured } from './figure.ts';
import type { Program } from './program.ts';
import { shown } from './report/numbers.ts';
import { roundOf } from './round.ts';
import { type Result, tally } from './tally.ts';

interface Plan {
  figures: readonly Figure[];
  programs: readonly Program[];
  rounds: number;
  rttMs: number;
  say(line: string): void;
}

export async function measureAll({
  figures,
  programs,
  rounds,
  rttMs,
  say,
}: Plan): Promise<Result[]> {
  const measured = new Map<Figure, Measured[]>(figures.map((figure) => [figure, []]));
  const failures = new Map<Figure, string[]>(figures.map((figure) => [figure, []]));
  for (let number = 0; number < rounds; number++)
    for (const figure of figures) {
      if (figure.once && number > 0) continue;
      const round = roundOf(rttMs, number, rotated(programs, number));
      const title = `${number + 1}/${rounds} ${figure.id.padEnd(14)}`;
      const start = performance.now();
      try {
        const found = await figure.measure(round);
        measured.get(figure)?.push(found);
        const seconds = (performance.now() - start) / 1000;
        say(`${title} ${seconds.toFixed(0).padStart(3)} s  ${inShort(figure, found)}`);
      } catch (error) {
        const { message } = error as Error;
        failures.get(figure)?.push(`round ${number + 1}: ${message}`);
        say(`${title} FAILED: ${message}`);
      }
    }
  return figures.map((figure) =>
    tally(figure, measured.get(figure) ?? [], failures.get(figure) ?? []),
  );
}

/** The last column, with a value for each row. */
function inShort(figure: Figure, measured: Measured): string {
  const column = figure.columns.at(-1);
  const last = tally(figure, [measured], []).cells.filter((cell) => cell.column === column);
  return `${column}: ${last.map(({ row, median }) => `${row} ${shown(median)}`).join(' · ')}`;
}

/** Reads an earlier run to render it anew, because texts and pictures change more often than figures. */
import { readFile } from 'node:fs/promises';
import type { Figure, Spread } from '../figure.ts';
import { type Cell, goalsOf, type Result } from '../tally.ts';
import type { RunFacts } from './run-facts.ts';

interface Stored extends RunFacts {
  figures: {
    id: string;
    cells: Cell[];
    spreads: { row: string; of: string; hundredths: number[] }[];
    failures: string[];
  }[];
}

/** Of spreads only the percentiles were kept. */
export async function read(
  figuresFile: string,
  known: readonly Figure[],
): Promise<{ facts: RunFacts; results: Result[] }> {
  const text = await readFile(figuresFile, 'utf8');
  const { figures, ...facts } = JSON.parse(text) as Stored;
  const results = figures.map(({ id, cells, spreads, failures }) => {
    const figure = known.find((each) => each.id === id);
    if (figure === undefined) throw new Error(`${figuresFile}: ${id} is no figure any more`);
    const kept: Spread[] = spreads.map(({ hundredths, ...spread }) => ({
      ...spread,
      values: hundredths,
    }));
    return { figure, cells, goals: goalsOf(figure, cells), spreads: kept, failures };
  });
  return { facts, results };
}

/** Writes text and pictures side by side, and the figures as JSON beside them, or in place of a document. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { quantile } from '../quantile.ts';
import { ours } from '../rows.ts';
import type { Result } from '../tally.ts';
import { bars } from './bars.ts';
import { curves } from './curves.ts';
import { markdown } from './markdown.ts';
import type { RunFacts } from './run-facts.ts';

/** The files written. */
export async function write(
  folder: string,
  figuresFile: string,
  facts: RunFacts,
  results: readonly Result[],
): Promise<string[]> {
  for (const each of [folder, dirname(figuresFile)]) await mkdir(each, { recursive: true });
  const pictures = {
    bars: bars(results, [ours, ...facts.programs.map(({ title }) => title).filter(isPeer)]),
    curves: curves(results),
  };
  const names = {
    bars: pictures.bars === null ? null : 'latency.svg',
    curves: pictures.curves === null ? null : 'latency-day.svg',
  };
  const files: [string, string | null][] = [
    [join(folder, 'latency.md'), markdown(facts, results, names)],
    [figuresFile, json(facts, results)],
    [join(folder, 'latency.svg'), pictures.bars],
    [join(folder, 'latency-day.svg'), pictures.curves],
  ];
  const written: string[] = [];
  for (const [file, text] of files) {
    if (text === null) continue;
    await writeFile(file, text);
    written.push(file);
  }
  return written;
}

function isPeer(title: string): boolean {
  return title !== ours;
}

/** Spreads as their percentiles. */
function json(facts: RunFacts, results: readonly Result[]): string {
  const figures = results.map(({ figure, cells, goals, spreads, failures }) => ({
    id: figure.id,
    title: figure.title,
    unit: figure.unit,
    published: figure.published ?? {},
    cells: cells.map((cell) => ({
      ...cell,
      rounds: cell.rounds.map(rounded),
      median: rounded(cell.median),
    })),
    goals,
    spreads: spreads.map(({ row, of, values }) => ({
      row,
      of,
      hundredths: hundredths(values),
    })),
    failures,
  }));
  return `${JSON.stringify({ ...facts, figures }, null, 1)}\n`;
}

function hundredths(values: readonly number[]): number[] {
  return Array.from({ length: 101 }, (_, at) => rounded(quantile(values, at / 100)));
}

function rounded(value: number): number {
  return Number(value.toPrecision(5));
}

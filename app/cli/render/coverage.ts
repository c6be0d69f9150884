/** `sotto coverage`: the coverage map. */
import { inEnglish } from '../../contract/sentences/sentence.ts';
import type { CoverageMap, CoverageRow } from '../../contract/system/coverage.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { dayAndMinute } from '../terminal/clock.ts';
import { renderTable } from '../terminal/table.ts';

const titles = ['', 'who', 'user', 'seen by', 'to', 'left', 'rejected', 'since', 'newest'];

export function renderCoverage({ rows, countsSince, limits }: CoverageMap): string[] {
  const counts =
    countsSince === null
      ? 'Packets are not counted now.'
      : `Packets are counted since ${dayAndMinute(countsSince)}.`;
  return [
    ...(rows.length === 0 ? ['Nothing was seen to go around Sotto.'] : renderRows(rows)),
    '',
    counts,
    ...limits.map((limit) => safe(inEnglish(limit))),
  ];
}

function renderRows(rows: readonly CoverageRow[]): string[] {
  return [
    ...renderTable(
      titles.map((title) => ({ title })),
      rows.map(cells),
    ),
    '',
    ...rows.flatMap(({ text, remedy, fix }) => [
      safe(text),
      `  → ${safe(remedy)}`,
      ...(fix === null ? [] : [`  → or let Sotto do it: sotto fix ${safe(fix)}`]),
    ]),
  ];
}

function cells(row: CoverageRow): string[] {
  const [first = '–', ...others] = row.to;
  return [
    row.weighs ? '!' : '',
    safe(row.name === '' ? '–' : row.name),
    safe(row.user ?? '–'),
    row.source,
    safe(others.length === 0 ? first : `${first} and ${others.length} more`),
    `${row.count ?? '–'}`,
    `${row.rejected ?? '–'}`,
    row.since === null ? '–' : dayAndMinute(row.since),
    row.newest === null ? '–' : dayAndMinute(row.newest),
  ];
}

/** A bar for each program: the moments at which a person waits. */
import { ours } from '../rows.ts';
import { find, type Result } from '../tally.ts';
import { shown } from './numbers.ts';
import { label, picture } from './svg.ts';

const width = 760;
const nameWidth = 110;
const barsWidth = 520;
const rowHeight = 22;
const headHeight = 44;
/** longer bars end here, and a number says how long they are */
const longest = 6;
const moments: readonly { figure: string; column: string }[] = [
  { figure: 'after-idle', column: 'user active' },
  { figure: 'first-ever', column: 'first query' },
  { figure: 'burst', column: 'last response' },
];

/** Null where none of these figures was measured. */
export function bars(results: readonly Result[], programs: readonly string[]): string | null {
  const parts: string[] = [];
  let y = 8;
  for (const { figure: id, column } of moments) {
    const result = results.find(({ figure }) => figure.id === id);
    if (result === undefined || result.cells.length === 0) continue;
    parts.push(label(8, y + 20, `${result.figure.title}: ${column}`, 'title'));
    y += headHeight - 12;
    for (const program of programs) {
      const value = find(result.cells, program, column)?.median;
      if (value === undefined) continue;
      parts.push(bar(y, program, value));
      y += rowHeight;
    }
    y += 14;
  }
  if (parts.length === 0) return null;
  const one = xOf(1).toFixed(1);
  const line = `<line class="grid" x1="${one}" x2="${one}" y1="8" y2="${y}"/>`;
  parts.push(
    label(8, y + 14, '× plain UDP on the same wire (line: 1); shorter is better', 'small'),
  );
  return picture(
    width,
    y + 26,
    'Round trips of the query a person waits for',
    [line, ...parts].join('\n'),
  );
}

function bar(y: number, program: string, value: number): string {
  const end = xOf(Math.min(value, longest));
  const isOurs = program === ours;
  const fill = `<rect class="${isOurs ? 'ours' : 'other'}" x="${nameWidth}" y="${y}" width="${(end - nameWidth).toFixed(1)}" height="${rowHeight - 6}" rx="2"/>`;
  const kind = isOurs ? 'strong' : '';
  const beyond = value > longest ? '» ' : '';
  return [
    label(nameWidth - 8, y + 13, program, kind, 'end'),
    fill,
    label(end + 6, y + 13, `${beyond}${shown(value)}`, kind),
  ].join('');
}

function xOf(value: number): number {
  return nameWidth + (value / longest) * barsWidth;
}

/** One finding of `sotto doctor` or `sotto system probe`: its verdict, what was found, what to do. */
import type { Finding, Verdict } from '../../contract/status/finding.ts';
import { safe } from '../../contract/text/visible-text.ts';
import type { Paint, Terminal } from '../terminal/terminal.ts';
import { padEnd } from '../terminal/terminal-text.ts';

const paints: Readonly<Record<Verdict, Paint>> = { ok: 'green', warn: 'yellow', fail: 'red' };

const margin = 6;
const checkWidth = 15;

export function renderFinding(
  { check, verdict, text, remedy }: Finding,
  terminal: Pick<Terminal, 'paint'>,
): string[] {
  const mark = terminal.paint(paints[verdict], padEnd(verdict, margin));
  return [
    `${mark}${padEnd(check, checkWidth)}  ${safe(text)}`,
    ...(remedy === null ? [] : [`${' '.repeat(margin + checkWidth)}  → ${safe(remedy)}`]),
  ];
}

/** The share of questions that were answered within a time, on a logarithmic axis, a curve a program. */
import { ours, plainUdp } from '../figure.ts';
import type { Result } from '../tally.ts';
import { label, picture } from './svg.ts';

const frame = { left: 56, top: 44, width: 560, height: 300 };
const legendX = frame.left + frame.width + 24;
const size = { width: 800, height: frame.top + frame.height + 56 };
/** × UDP */
const axis = { from: 0.001, to: 100 };
const drawn = 'replayed-day';
const greys = ['#a1a1aa', '#71717a', '#a8a29e', '#78716c'];
const dashes = ['', '6 3', '2 3', '8 3 2 3'];

/** Null where the day was not replayed. */
export function curves(results: readonly Result[]): string | null {
  const result = results.find(({ figure }) => figure.id === drawn);
  if (result === undefined || result.spreads.length === 0) return null;
  const others = result.spreads.filter(({ row }) => row !== ours);
  const body = [
    label(frame.left, 24, result.figure.title, 'title'),
    ...grid(),
    ...others.map(({ row, values }, index) => curve(values, styleOf(row, index))),
    ...result.spreads
      .filter(({ row }) => row === ours)
      .map(({ values }) => curve(values, 'class="oursLine"')),
    ...legend(others.map(({ row }) => row)),
  ];
  return picture(size.width, size.height, result.figure.title, body.join('\n'));
}

function styleOf(row: string, index: number): string {
  const isYardstick = row.startsWith(plainUdp);
  const colour = greys[index % greys.length];
  const dash = isYardstick ? '1 4' : dashes[index % dashes.length];
  return `class="otherLine" stroke="${colour}" stroke-dasharray="${dash}"`;
}

/** Steps, as many as there are values, at most 400. */
function curve(values: readonly number[], style: string): string {
  const sorted = [...values].sort((left, right) => left - right);
  const steps = Math.min(sorted.length, 400);
  const points = Array.from({ length: steps + 1 }, (_, step) => {
    const at = Math.min(sorted.length - 1, Math.floor((step / steps) * sorted.length));
    return `${xOf(sorted[at] ?? axis.from).toFixed(1)},${yOf(step / steps).toFixed(1)}`;
  });
  return `<polyline ${style} points="${points.join(' ')}"/>`;
}

function grid(): string[] {
  const bottom = frame.top + frame.height;
  const vertical = [0.001, 0.01, 0.1, 1, 10, 100].flatMap((value) => {
    const x = xOf(value).toFixed(1);
    return [
      `<line class="grid" x1="${x}" x2="${x}" y1="${frame.top}" y2="${bottom}"/>`,
      label(xOf(value), bottom + 18, String(value), 'small', 'middle'),
    ];
  });
  const horizontal = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => {
    const y = yOf(share).toFixed(1);
    return [
      `<line class="grid" x1="${frame.left}" x2="${frame.left + frame.width}" y1="${y}" y2="${y}"/>`,
      label(frame.left - 8, yOf(share) + 4, `${share * 100} %`, 'small', 'end'),
    ];
  });
  const title = 'latency, × plain UDP on the same wire';
  return [...vertical, ...horizontal, label(frame.left, bottom + 40, title, 'small')];
}

function legend(others: readonly string[]): string[] {
  const line = (y: number, style: string) =>
    `<line ${style} x1="${legendX}" x2="${legendX + 28}" y1="${y}" y2="${y}"/>`;
  return [ours, ...others].flatMap((row, index) => {
    const y = frame.top + 12 + index * 22;
    const style = row === ours ? 'class="oursLine"' : styleOf(row, index - 1);
    return [line(y, style), label(legendX + 36, y + 4, row, row === ours ? 'strong' : '')];
  });
}

function xOf(value: number): number {
  const inside = Math.min(axis.to, Math.max(axis.from, value));
  const share = Math.log(inside / axis.from) / Math.log(axis.to / axis.from);
  return frame.left + share * frame.width;
}

function yOf(share: number): number {
  return frame.top + (1 - share) * frame.height;
}

/**
 * The share of queries that had a response within a time, a curve for each program: all queries, and below them the slowest
 * tenth.
 */
import type { Spread } from '../figure.ts';
import { ours, plainUdp } from '../rows.ts';
import type { Result } from '../tally.ts';
import { label, picture } from './svg.ts';

const drawn = 'replayed-day';
const greys = ['#a1a1aa', '#71717a', '#a8a29e', '#78716c'];
const dashes = ['', '6 3', '2 3', '8 3 2 3'];
const left = 56;
const width = 560;
const legendX = left + width + 24;

interface Panel {
  title: string;
  top: number;
  height: number;
  /** share at its lower edge; 1 is at the upper one */
  from: number;
  /** × UDP at the axis' ends, and at its marks */
  axis: { from: number; to: number; marks: number[] };
}

const panels: Panel[] = [
  {
    title: 'all queries',
    top: 52,
    height: 220,
    from: 0,
    axis: { from: 0.001, to: 100, marks: [0.001, 0.01, 0.1, 1, 10, 100] },
  },
  {
    title: 'the slowest tenth',
    top: 340,
    height: 160,
    from: 0.9,
    axis: { from: 1, to: 100, marks: [1, 2, 4, 10, 20, 50, 100] },
  },
];
const size = { width: 860, height: 560 };

/** Null where the day was not replayed. */
export function curves(results: readonly Result[]): string | null {
  const result = results.find(({ figure }) => figure.id === drawn);
  if (result === undefined || result.spreads.length === 0) return null;
  const [mine, others] = [true, false].map((isMine) =>
    result.spreads.filter(({ row }) => (row === ours) === isMine),
  ) as [Spread[], Spread[]];
  const styled = [
    ...others.map((spread, index) => ({ ...spread, style: styleOf(spread.row, index) })),
    // the last curve is drawn above the others
    ...mine.map((spread) => ({ ...spread, style: 'class="oursLine"' })),
  ];
  const body = [
    label(left, 24, result.figure.title, 'title'),
    ...panels.flatMap((panel) => [
      ...grid(panel),
      ...styled.map(({ values, style }) => curve(panel, values, style)),
    ]),
    ...styled.toReversed().flatMap(({ row, style }, index) => legend(row, style, index)),
    label(left, size.height - 12, 'latency, × plain UDP on the same wire', 'small'),
  ];
  return picture(size.width, size.height, result.figure.title, body.join('\n'));
}

function styleOf(row: string, index: number): string {
  const isYardstick = row.startsWith(plainUdp);
  const colour = greys[index % greys.length];
  const dash = isYardstick ? '1 4' : dashes[index % dashes.length];
  return `class="otherLine" stroke="${colour}" stroke-dasharray="${dash}"`;
}

/** As many points as there are values, at most 400. */
function curve(panel: Panel, values: readonly number[], style: string): string {
  const sorted = [...values].sort((one, other) => one - other);
  const inside = sorted.slice(Math.floor(sorted.length * panel.from));
  const steps = Math.min(inside.length - 1, 400);
  const points = Array.from({ length: steps + 1 }, (_, step) => {
    const share = step / Math.max(1, steps);
    const value = inside[Math.round(share * (inside.length - 1))] ?? 0;
    const y = yOf(panel, panel.from + share * (1 - panel.from));
    return `${xOf(panel, value).toFixed(1)},${y.toFixed(1)}`;
  });
  return `<polyline ${style} points="${points.join(' ')}"/>`;
}

function grid(panel: Panel): string[] {
  const bottom = panel.top + panel.height;
  const vertical = panel.axis.marks.flatMap((value) => {
    const x = xOf(panel, value);
    const at = x.toFixed(1);
    return [
      `<line class="grid" x1="${at}" x2="${at}" y1="${panel.top}" y2="${bottom}"/>`,
      label(x, bottom + 16, String(value), 'small', 'middle'),
    ];
  });
  const horizontal = [0, 0.25, 0.5, 0.75, 1].flatMap((part) => {
    const share = panel.from + part * (1 - panel.from);
    const y = yOf(panel, share);
    const at = y.toFixed(1);
    const percent = Number((share * 100).toFixed(1));
    return [
      `<line class="grid" x1="${left}" x2="${left + width}" y1="${at}" y2="${at}"/>`,
      label(left - 8, y + 4, `${percent} %`, 'small', 'end'),
    ];
  });
  return [label(left, panel.top - 10, panel.title, 'small'), ...vertical, ...horizontal];
}

function legend(row: string, style: string, index: number): string[] {
  const y = 64 + index * 22;
  return [
    `<line ${style} x1="${legendX}" x2="${legendX + 28}" y1="${y}" y2="${y}"/>`,
    label(legendX + 36, y + 4, row, row === ours ? 'strong' : ''),
  ];
}

function xOf({ axis }: Panel, value: number): number {
  const inside = Math.min(axis.to, Math.max(axis.from, value));
  return left + (Math.log(inside / axis.from) / Math.log(axis.to / axis.from)) * width;
}

function yOf({ top, height, from }: Panel, share: number): number {
  return top + (1 - (share - from) / (1 - from)) * height;
}

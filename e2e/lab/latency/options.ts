/** The options of `npm run lab:latency`. */
import { parseArgs } from 'node:util';

export interface Options {
  /** ids of figures */
  only: ReadonlySet<string>;
  /** ids of programs; ours always */
  programs: ReadonlySet<string>;
  rounds: number;
  rttMs: number;
  /** where the result goes instead of its usual place; null: its usual place */
  out: string | null;
  /** from an earlier measurement */
  render: boolean;
  /** everything, often enough to be kept in the repository */
  complete: boolean;
}

const enoughRounds = 5;
const usualRttMs = 35;

export function usage(figures: readonly string[], programs: readonly string[]): string {
  return `What a query costs on a distant wire, beside other programs and published figures.

Usage: npm run lab:latency -- [--only FIGURES] [--programs NAMES] [--rounds N] [--rtt MS] [--render] [--out FOLDER]
  --only      some of these figures (default: all)
              ${figures.join(', ')}
  --programs  peers beside ours, of ${programs.filter((id) => id !== 'sotto').join(', ')}
              (default: all; "" is ours alone)
  --rounds    how often everything is measured, in turn (default: ${enoughRounds})
  --rtt       round trip of the wire in milliseconds (default: ${usualRttMs}); figures with distances of their own keep them
  --render    measure nothing: write text and pictures anew from what was measured here last
  --out       folder for latency.md, latency.json and the pictures
  --help      this

All figures, ${enoughRounds} rounds or more, at ${usualRttMs} ms with all programs go to docs/measurements; other runs to target/bench/latency.
Needs root, network namespaces and a C compiler. A complete run takes a quarter of an hour; keep the machine quiet.

Examples:
  Does a burst wait for anything? Once, in half a minute:
    npm run lab:latency -- --only burst --rounds 1
  Ours beside stubby on a lossy satellite:
    npm run lab:latency -- --only loss --programs stubby --rtt 600 --rounds 2

Exit codes: 0 everything was measured (reached or not), 1 something could not be, 2 wrong usage.`;
}

/** A text says what is wrong; null asks for help. */
export function readOptions(
  args: string[],
  figures: readonly string[],
  programs: readonly string[],
): Options | string | null {
  try {
    const { values } = parseArgs({
      args,
      options: {
        only: { type: 'string', default: figures.join() },
        programs: { type: 'string', default: programs.join() },
        rounds: { type: 'string', default: String(enoughRounds) },
        rtt: { type: 'string', default: String(usualRttMs) },
        out: { type: 'string' },
        render: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) return null;
    const only = chosen('--only', values.only, figures);
    if (only.size === 0) throw new Error('--only names no figure');
    const beside = new Set(['sotto', ...chosen('--programs', values.programs, programs)]);
    const rounds = number('--rounds', values.rounds, 1);
    const rttMs = number('--rtt', values.rtt, 1);
    const whole = only.size === figures.length && beside.size === programs.length;
    const complete = whole && rounds >= enoughRounds && rttMs === usualRttMs;
    const { render, out = null } = values;
    return { only, programs: beside, rounds, rttMs, out, render, complete };
  } catch (error) {
    return (error as Error).message;
  }
}

function chosen(option: string, text: string, known: readonly string[]): Set<string> {
  const names = text.split(',').filter(Boolean);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new Error(`${option} ${unknown} is not known; these are: ${known.join(', ')}`);
  return new Set(names);
}

function number(option: string, text: string, least: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least)
    throw new Error(`${option} ${text}: give a whole number, ${least} or more`);
  return value;
}

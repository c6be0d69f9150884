import { parseArgs } from 'node:util';
import { type Group, groups } from './figures.ts';

export interface Options {
  groups: ReadonlySet<Group>;
  runs: number;
  seconds: number;
  /** ids */
  peers: ReadonlySet<string>;
  /** another checkout of this repository, built; null: none */
  before: string | null;
  /** everything, often enough to be kept in the repository */
  complete: boolean;
}

const enoughRuns = 5;
const enoughSeconds = 4;

export const usage = `node bench/run.ts [--only FIGURES] [--runs N] [--seconds N] [--peers NAMES] [--before CHECKOUT]
  --only     ${groups.join(',')}: some of these (default: all)
  --runs     rounds, in each of which every program is measured once (default: ${enoughRuns})
  --seconds  length of a run of cached or of forwarded answers (default: ${enoughSeconds})
  --peers    some of those that exist; Sotto is always measured, and "" means it alone (default: all)
  --before   measure the Sotto of this other checkout, too (bundled and with its addon), in the same rounds`;

/** What is wrong is a text for the terminal. */
export function readOptions(args: string[], knownPeers: readonly string[]): Options | string {
  try {
    const { values } = parseArgs({
      args,
      options: {
        only: { type: 'string', default: groups.join() },
        runs: { type: 'string', default: String(enoughRuns) },
        seconds: { type: 'string', default: String(enoughSeconds) },
        peers: { type: 'string', default: knownPeers.join() },
        before: { type: 'string' },
      },
    });
    const wanted = chosen('--only', values.only, groups);
    if (wanted.size === 0) throw new Error('--only names no figure');
    const peers = chosen('--peers', values.peers, knownPeers);
    const runs = count('--runs', values.runs);
    const seconds = count('--seconds', values.seconds);
    const whole = wanted.size === groups.length && peers.size === knownPeers.length;
    const { before = null } = values;
    const complete = before === null && whole && runs >= enoughRuns && seconds >= enoughSeconds;
    return { groups: wanted, runs, seconds, peers, before, complete };
  } catch (error) {
    return `${(error as Error).message}\n\n${usage}`;
  }
}

function chosen<T extends string>(option: string, text: string, known: readonly T[]): Set<T> {
  const names = text.split(',').filter(Boolean);
  const unknown = names.find((name) => !known.includes(name as T));
  if (unknown !== undefined)
    throw new Error(`${option} ${unknown} is not known; these are: ${known.join(', ')}`);
  return new Set(names as T[]);
}

function count(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`${option} ${text} is not a whole number from 1`);
  return number;
}

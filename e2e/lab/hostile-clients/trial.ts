/** One manner of attack for some seconds: what it costs the service, and whether a person gets replies meanwhile. */
import type { Lab } from '../../rig/lab.ts';
import { StolenTime } from '../stolen-time.ts';
import type { Manner } from './hostile-program.ts';
import { Stage, type Who } from './stage.ts';

export interface Wish {
  manner: Manner;
  who: Who;
  connections: number;
  seconds: number;
}

export interface Observed extends Wish {
  /** octets */
  before: number;
  most: number;
  /** milliseconds for each connection of a person; null: no reply */
  answers: (number | null)[];
  /** the same for the whole command */
  commands: (number | null)[];
  /** the same for each query */
  queries: (number | null)[];
  /** the share of the processors' time that the host gave to others */
  stolen: number;
}

export const mostMoreOctets = 50 * 1024 * 1024;
export const statusWithinMs = 1000;

const combinations: readonly [Manner, Who][] = [
  ...(['another account', 'the same account'] as const).flatMap((who) =>
    (
      ['follow', 'follow unread', 'ask', 'ask unread', 'half requests', 'works', 'knock'] as const
    ).map((manner): [Manner, Who] => [manner, who]),
  ),
];

/** 64 connections, for as long as it takes to see whether anything piles up. */
export function plan(seconds: number): Wish[] {
  return combinations.map(([manner, who]) => ({ manner, who, connections: 64, seconds }));
}

export async function observe(lab: Lab, wish: Wish): Promise<Observed> {
  const stage = await Stage.open(lab);
  // the first client makes the service load what every client needs
  for (let count = 0; count < 3; count++) await stage.status();
  for (let count = 0; count < 50; count++) await stage.query();
  const before = stage.memory();
  const seen: Observed = {
    ...wish,
    before,
    most: before,
    answers: [],
    commands: [],
    queries: [],
    stolen: 0,
  };
  const stolen = new StolenTime();
  const look = setInterval(() => {
    seen.most = Math.max(seen.most, stage.memory());
  }, 50);
  const attack = await stage.attack(wish.manner, wish.who, wish.connections);
  try {
    const end = performance.now() + wish.seconds * 1000;
    do {
      seen.answers.push(await stage.status());
      seen.commands.push(await stage.command());
      for (let count = 0; count < 20; count++) seen.queries.push(await stage.query());
    } while (performance.now() < end);
  } finally {
    clearInterval(look);
    seen.stolen = stolen.share();
    await attack.stop('SIGKILL');
  }
  return seen;
}

/** `timed`: also checks times, on a machine that does nothing else. */
export function problemsOf(
  { before, most, answers, commands, queries }: Observed,
  timed: boolean,
): string[] {
  const problems: string[] = [];
  if (most - before > mostMoreOctets) problems.push(`${megabytes(most - before)} MB more`);
  const unanswered = [...answers, ...commands].filter((one) => one === null).length;
  if (unanswered > 0) problems.push(`${unanswered} times no status`);
  const lost = queries.filter((one) => one === null).length;
  if (timed && lost > 0) problems.push(`${lost} queries without an answer`);
  const slowest = Math.max(...[...answers, ...commands].map((one) => one ?? 0));
  if (timed && slowest > statusWithinMs) problems.push(`a status took ${Math.round(slowest)} ms`);
  return problems;
}

export const megabytes = (octets: number) => Math.round(octets / 1024 / 1024);

/** From the runs of all rounds to medians, ratios to the best peer, and whether a target is reached. */
import type { Figure, FigureKey, Target } from './figures.ts';
import type { Peer } from './peer.ts';
import type { LogMode } from './peers/sotto.ts';
import { best, median } from './statistics.ts';
import type { Visit } from './visit.ts';

export interface Outcome {
  figure: Figure;
  /** by peer, in the order of the rounds, without runs that could not be measured */
  runs: Map<string, number[]>;
  medians: Map<string, number>;
  /** the floor and Sotto do not count among the peers */
  best: { id: string; value: number } | null;
  verdicts: Verdict[];
}

export interface Verdict {
  mode: LogMode;
  value: number;
  /** to the best peer; null where there was none */
  ratio: number | null;
  wanted: string;
  /** null: the value to compare with was not measured, or there is no target */
  reached: boolean | null;
}

type Contestant = Pick<Peer, 'id' | 'kind'>;

export function outcome(figure: Figure, contestants: Contestant[], visits: Visit[]): Outcome {
  const runs = new Map(contestants.map(({ id }) => [id, runsOf(id, figure.key, visits)]));
  const medians = new Map<string, number>();
  for (const [id, values] of runs) {
    const middle = median(values);
    if (middle !== null) medians.set(id, middle);
  }
  const peers = contestants.filter(({ kind }) => kind === 'peer').map(({ id }) => id);
  const competing = new Map([...medians].filter(([id]) => peers.includes(id)));
  const leader = best(competing, figure.better);
  const verdicts = (['off', 'full'] as const).flatMap((mode) => {
    const value = medians.get(`sotto-${mode}`);
    return value === undefined ? [] : [judge(figure, mode, value, leader?.value, medians)];
  });
  return { figure, runs, medians, best: leader, verdicts };
}

function runsOf(id: string, key: FigureKey, visits: Visit[]): number[] {
  const own = visits.filter(({ peer }) => peer === id);
  return own.map(({ values }) => values[key]).filter((value) => value !== undefined);
}

function judge(
  figure: Figure,
  mode: LogMode,
  value: number,
  leader: number | undefined,
  medians: ReadonlyMap<string, number>,
): Verdict {
  const target = figure.target?.[mode];
  const ratio = leader === undefined ? null : value / leader;
  if (target === undefined) return { mode, value, ratio, wanted: '', reached: null };
  const reference = { 'best peer': leader, unbound: medians.get('unbound'), absolute: 1 }[
    target.of
  ];
  const wanted = inWords(target, figure);
  if (reference === undefined) return { mode, value, ratio, wanted, reached: null };
  const limit = target.factor * reference;
  const reached = figure.better === 'more' ? value >= limit : value <= limit;
  return { mode, value, ratio, wanted, reached };
}

function inWords(target: Target, figure: Figure): string {
  const sign = figure.better === 'more' ? '≥' : '≤';
  if (target.of === 'absolute') return `${sign} ${target.factor} ${figure.unit}`;
  return `${sign} ${target.factor.toFixed(1)} × ${target.of}`;
}

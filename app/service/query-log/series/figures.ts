/** What is counted of a stretch of time: queries by class, how long each upstream took, and how often it failed. */
import { clearClasses, outcomes } from '../../../contract/engine-words.ts';
import { classOf, type QueryClass, queryClasses } from '../../../contract/query-log/query-class.ts';
import type { EventRecord } from '../../engine/boundary.ts';
import { addTime, addTimes, type CoarseTimes } from './coarse-times.ts';

export interface Figures {
  /** in the order of `queryClasses` */
  counts: number[];
  upstreams: Map<string, CoarseTimes>;
  /** connections and queries that failed, by upstream */
  failed: Map<string, number>;
}

/** More upstreams than anybody has; what they take on the disk is bounded. */
const mostUpstreams = 16;

export function noFigures(): Figures {
  return { counts: queryClasses.map(() => 0), upstreams: new Map(), failed: new Map() };
}

export function addEvent(figures: Figures, { outcome, clear, upstream, total }: EventRecord): void {
  const word = outcomes[outcome] ?? 'dropped';
  addCount(figures.counts, classOf({ outcome: word, clear: clearClasses[clear] ?? 'none' }));
  if (word !== 'forwarded' || upstream === '') return;
  const times = figures.upstreams.get(upstream) ?? new Map<number, number>();
  if (figures.upstreams.size >= mostUpstreams && times.size === 0) return;
  figures.upstreams.set(upstream, times);
  addTime(times, total);
}

export function addFailures({ failed }: Figures, upstream: string, count: number): void {
  if (count === 0 || (failed.size >= mostUpstreams && !failed.has(upstream))) return;
  failed.set(upstream, (failed.get(upstream) ?? 0) + count);
}

export function addFigures(figures: Figures, { counts, upstreams, failed }: Figures): void {
  for (const [index, count] of counts.entries())
    figures.counts[index] = (figures.counts[index] ?? 0) + count;
  for (const [upstream, times] of upstreams) addUpstream(figures, upstream, times);
  for (const [upstream, count] of failed) addFailures(figures, upstream, count);
}

export function addUpstream({ upstreams }: Figures, upstream: string, times: CoarseTimes): void {
  const known = upstreams.get(upstream) ?? new Map<number, number>();
  upstreams.set(upstream, known);
  addTimes(known, times);
}

function addCount(counts: number[], name: QueryClass): void {
  const index = queryClasses.indexOf(name);
  counts[index] = (counts[index] ?? 0) + 1;
}

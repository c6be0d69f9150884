/** `sotto stats`, and the lines of `sotto stats --follow`. */

import { costShares, shareFromCache } from '../../contract/query-log/query-shares.ts';
import type { QueryTally, ServiceStats } from '../../contract/status/service-stats.ts';
import { sayDuration } from '../../contract/text/duration.ts';
import { sayCount, sayLatency, sayOctets, sayShare } from '../../contract/text/quantity.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { clockTime } from '../terminal/clock.ts';
import { renderTable } from '../terminal/table.ts';
import { padStart } from '../terminal/terminal-text.ts';
import { type Change, figuresOf, type Latency } from './figures.ts';

export function renderStats(stats: ServiceStats): string[] {
  const { cache, events, strays, startedAt, at, memory, outcomes, upstreams } = stats;
  const { queries, latency, costs, programs } = figuresOf(stats);
  const answered = Object.entries(outcomes)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`);
  return [
    `Queries     ${queries === 0 ? 'none yet' : `${queries}: ${answered.join(', ')}`}`,
    `Cache       ${sayShare(shareFromCache(outcomes))} of all; ${sayCount(cache.entries, 'response')}, ${sayOctets(cache.octets)}`,
    `Cost        ${sayCosts(costs)}`,
    `Latency     ${sayPercentiles(latency)}`,
    ...(programs.length === 0 ? [] : [sayPrograms(programs)]),
    `Events      ${events.delivered} delivered, ${events.dropped} dropped`,
    ...(strays === 0 ? [] : [sayStrays(strays)]),
    `Service     ${sayOctets(memory)} of memory, running for ${sayDuration(at - startedAt)}`,
    '',
    ...renderUpstreamCounts(upstreams),
  ];
}

/** The others are in `--json`. */
function sayPrograms(programs: QueryTally['programs']): string {
  const most = programs.slice(0, 5).map(({ program, queries }) => `${safe(program)} ${queries}`);
  return `Programs    ${most.join(', ')}`;
}

function sayStrays(strays: number): string {
  return `Strays      ${sayCount(strays, 'message')} from plain resolvers, which belong to no query`;
}

function sayCosts(costs: Change['costs']): string {
  if (costs === null) return 'not counted now';
  const shares = costShares(costs);
  if (shares === null) return 'nothing forwarded yet';
  return Object.entries(shares)
    .map(([cost, share]) => `${sayShare(share)} ${cost}`)
    .join(', ');
}

function sayPercentiles({ count, p50, p95, p99 }: Latency): string {
  if (count === 0) return 'nothing forwarded yet';
  return `p50 ${sayTime(p50)}, p95 ${sayTime(p95)}, p99 ${sayTime(p99)} of ${count} forwarded`;
}

function renderUpstreamCounts(upstreams: ServiceStats['upstreams']): string[] {
  return renderTable(
    [
      { title: 'upstream' },
      { title: 'answered', align: 'right' },
      { title: 'failed', align: 'right' },
      { title: 'handshakes', align: 'right' },
      { title: 'resumed', align: 'right' },
      { title: 'latency', align: 'right' },
    ],
    upstreams.map(({ id, answered, failed, dials, resumptions, rttMs }) => [
      safe(id),
      String(answered),
      String(failed),
      String(dials),
      String(resumptions),
      sayTime(rttMs),
    ]),
  );
}

const columns: readonly [title: string, width: number, cell: (change: Change) => string][] = [
  ['time', 12, ({ at }) => clockTime(at)],
  ['queries', 9, ({ queries }) => String(queries)],
  ['cached', 7, ({ outcomes }) => sayShare(shareFromCache(outcomes))],
  ['forwarded', 9, ({ outcomes }) => String(outcomes.forwarded ?? 0)],
  ['refused', 7, ({ outcomes }) => String(outcomes.refused ?? 0)],
  ['failed', 6, ({ outcomes }) => String(outcomes.failed ?? 0)],
  ['p50', 8, ({ latency }) => sayTime(latency.p50)],
  ['p95', 8, ({ latency }) => sayTime(latency.p95)],
  ['p99', 8, ({ latency }) => sayTime(latency.p99)],
  ['dropped', 7, ({ events }) => String(events.dropped)],
  ['memory', 9, ({ memory }) => sayOctets(memory)],
];

export function changeTitles(): string {
  return columns.map(([title, width]) => padStart(title, width)).join('  ');
}

export function renderChange(change: Change): string {
  return columns.map(([, width, cell]) => padStart(cell(change), width)).join('  ');
}

function sayTime(milliseconds: number | null): string {
  return milliseconds === null ? '–' : sayLatency(milliseconds);
}

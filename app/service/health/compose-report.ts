/**
 * The report for others: the state of Sotto without personal data. It consists of texts of our own and of figures; everything
 * that may hold a queried name, an address, a path or a person's own text is counted or left out. Pure.
 */

import type { EffectiveSetting } from '../../contract/settings/settings-methods.ts';
import type { ServiceStats } from '../../contract/status/service-stats.ts';
import type { ServiceStatus, UpstreamStatus } from '../../contract/status/service-status.ts';
import { sayCount, sayLatency, sayOctets } from '../../contract/text/quantity.ts';

interface Reported {
  status: ServiceStatus;
  stats: ServiceStats;
  settings: readonly EffectiveSetting[];
  /** what the catalogue calls an upstream; null: it is the person's own */
  labelOf(upstream: string): string | null;
  /** "Linux 6.1.0, x64, Node.js 24.1.0" */
  machine: string;
  at: number;
}

export function composeReport({ status, stats, settings, labelOf, machine, at }: Reported): string {
  const { verdict, protection, guarded, groups, health, clear, log, cache, network } = status;
  const running = Math.round((at - status.startedAt) / 60_000);
  const named = new Map(
    status.upstreams.map(({ id }, index) => [id, labelOf(id) ?? `own upstream ${index + 1}`]),
  );
  return [
    `Sotto ${status.version}, ${machine}`,
    `running for ${sayCount(running, 'minute')}, ${guarded ? 'guarded' : 'not guarded'}; ${new Date(at).toISOString()}`,
    '',
    `verdict: ${verdict.is}`,
    `protection: ${protection.state}`,
    ...groups.map(
      ({ id, policy, strategy, rungs, state }, index) =>
        `policy${id === '' ? '' : ` of group ${index}`}: ${policy}, ${strategy}, rungs ${rungs.join(' ') || 'none'}: ${state.state}`,
    ),
    `network: ${network.authenticated ? 'an upstream has proved itself here' : 'no upstream has proved itself here'}`,
    `open permissions to send in cleartext: ${sayCounts(clear.map((entry) => entry.class))}`,
    `health: ${health.map(({ code, severity }) => `${code} (${severity})`).join(', ') || 'nothing to report'}`,
    '',
    'upstreams:',
    ...status.upstreams.map(
      (upstream) => `  ${sayUpstream(upstream, named.get(upstream.id) ?? '')}`,
    ),
    '',
    `queries: ${sayFigures(stats.outcomes)}`,
    `cost: ${stats.tally === null ? 'not counted' : sayFigures(stats.tally.costs)}`,
    `cache: ${sayCount(cache.entries, 'entry', 'entries')}, ${sayOctets(cache.octets)}, ${sayCount(cache.hits, 'hit')}, ${sayCount(cache.misses, 'miss', 'misses')}`,
    `events: ${stats.events.delivered} delivered, ${stats.events.dropped} dropped; strays: ${stats.strays}`,
    `own probes in cleartext: ${stats.ownProbes.map(({ kind, count }) => `${kind} ${count}`).join(', ')}`,
    `query log: ${log.state}, ${sayCount(log.rows, 'row')}, ${sayOctets(log.octets)}, ${log.lost} lost`,
    `memory: ${sayOctets(stats.memory)}`,
    '',
    'settings that differ from the defaults:',
    ...settings
      .filter(({ source }) => source.layer !== 'default')
      .map((setting) => `  ${saySetting(setting)}`),
    '',
  ].join('\n');
}

function sayUpstream(upstream: UpstreamStatus, name: string): string {
  const { transport, path, state, tls, lastError, answered, failed, dials, resumptions, rttMs } =
    upstream;
  return [
    `${name}: ${transport}${path === null || path === transport ? '' : `, now by ${path}`}, ${state}`,
    tls === null ? 'no TLS yet' : `TLS ${tls.version} ${tls.cipher} ${tls.group}`,
    `${answered} answered, ${failed} failed, ${sayCount(dials, 'dial')}, ${resumptions} resumed`,
    rttMs === null ? 'never measured' : sayLatency(rttMs),
    ...(lastError === null ? [] : [`last error ${lastError.code}`]),
  ].join('; ');
}

/** Figures and our own words are shown; lists and texts of a person are counted. */
function saySetting({ key, value, source, locked }: EffectiveSetting): string {
  const told =
    Array.isArray(value) || (typeof value === 'object' && value !== null)
      ? `${Object.keys(value).length} of them`
      : String(value);
  return `${key}: ${told} (${source.layer}${locked ? ', locked' : ''})`;
}

function sayFigures(figures: Readonly<Record<string, number | undefined>>): string {
  const told = Object.entries(figures).filter(([, count]) => (count ?? 0) > 0);
  return told.map(([word, count]) => `${count} ${word}`).join(', ') || 'none';
}

function sayCounts(words: readonly string[]): string {
  const counts = Map.groupBy(words, (word) => word);
  return [...counts].map(([word, all]) => `${all.length} ${word}`).join(', ') || 'none';
}

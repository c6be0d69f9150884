/** The result of a soak: a table for the terminal and for docs/measurements/soak.md. */
import { cpus, totalmem } from 'node:os';
import { median, quarters, type Sample, type Soak, type Verdict } from './soak-verdict.ts';

export interface Setting {
  minutes: number;
  rate: number;
  names: number;
  cacheEntries: number;
  delayMs: number;
}

const columns: [string, (sample: Sample) => string][] = [
  ['time', ({ at }) => `${Math.floor(at / 60)}:${String(Math.floor(at % 60)).padStart(2, '0')}`],
  ['resident MiB', ({ resident }) => resident.toFixed(1)],
  ['anonymous MiB', ({ anonymous }) => anonymous.toFixed(1)],
  ['descriptors', ({ descriptors }) => String(descriptors)],
  ['threads', ({ threads }) => String(threads)],
  ['cache', ({ cacheEntries }) => String(cacheEntries)],
  ['log rows', ({ logRows }) => String(logRows)],
  ['dropped', ({ eventsDropped, logLost }) => String(eventsDropped + logLost)],
  ['WAL MiB', ({ writeAheadLog }) => writeAheadLog.toFixed(1)],
];

export const heading = row(columns.map(([title]) => title));

export function sampleLine(sample: Sample): string {
  return row(columns.map(([, value]) => value(sample)));
}

function row(cells: string[]): string {
  return cells.map((cell, index) => cell.padStart(columns[index]?.[0].length ?? 0)).join('  ');
}

export function verdictLine({ what, holds, because }: Verdict): string {
  return `${holds ? '✓' : '✗'} ${what}: ${because}`;
}

export function markdown(setting: Setting, soak: Soak, verdicts: Verdict[]): string {
  const { load, samples } = soak;
  const latency = load.latencyMs;
  const spent = (samples.at(-1)?.processor ?? 0) - (samples[0]?.processor ?? 0);
  const span = (samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0);
  const perQuery = (spent / (span * setting.rate)) * 1e6;
  return `# Soak: ${setting.minutes} minutes at ${setting.rate} queries a second

Written by \`node build/bootstrap.mjs soak -- --minutes ${setting.minutes} --write\` on ${new Date().toISOString().slice(0, 10)}: ${machine()}.

The real service with its query log in full, one upstream over TLS that takes ${setting.delayMs} ms for a response
(sotto-server), ${setting.names} names by Zipf's law with a TTL of 60 s. Before the measurement the cache was filled to
its ${setting.cacheEntries} entries; everything is sampled every five seconds from /proc and the control socket.
Queries are sent at a fixed rate; latency counts from the moment at which each was due.

| verdict | |
|---|---|
${verdicts.map(({ what, holds, because }) => `| ${holds ? 'holds' : '**fails**'}: ${what} | ${because} |`).join('\n')}

| latency of a response | ms |
|---|---|
| mean | ${latency?.mean} |
| median | ${latency?.p50} |
| 99 % | ${latency?.p99} |
| 99.9 % | ${latency?.p999} |
| longest | ${latency?.max} |

Processor time of the whole service, control plane and log included: ${perQuery.toFixed(0)} µs for each query.
The sender was at worst ${load.senderBehindMs} ms late, which is part of the latencies above.

| ${columns.map(([title]) => title).join(' | ')} |
|${columns.map(() => '--:').join('|')}|
${aboutTwenty(samples)
  .map((sample) => `| ${columns.map(([, value]) => value(sample)).join(' | ')} |`)
  .join('\n')}
`;
}

/** Medians of the quarters of the run, for the JSON. */
export function summaryOf(samples: Sample[]) {
  const { first, last } = quarters(samples);
  const of = (part: Sample[]) => ({
    resident: median(part.map(({ resident }) => resident)),
    anonymous: median(part.map(({ anonymous }) => anonymous)),
    descriptors: Math.max(...part.map(({ descriptors }) => descriptors)),
  });
  return { first: of(first), last: of(last) };
}

function aboutTwenty(samples: Sample[]): Sample[] {
  const step = Math.max(1, Math.ceil(samples.length / 20));
  return samples.filter((_, index) => index % step === 0 || index === samples.length - 1);
}

function machine(): string {
  const [first] = cpus();
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
}

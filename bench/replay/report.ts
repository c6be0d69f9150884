/** The page of docs/measurements about a replayed day. */
import type { MachineFacts } from '../machine-facts.ts';
import { percent, shown } from '../numbers.ts';
import { manyClients } from './many-clients.ts';
import type { Latency, Outcome, Quartiles, Replayed } from './summary.ts';

interface Measured {
  machine: MachineFacts;
  summary: Replayed;
  /** queries a second */
  speed: { rounds: number; reading: number; model: number };
  commands: { trace: string; replay: string };
}

/** What the report recommends for recursive resolvers, and has its latencies for. */
const recommended = 60;
const wantedRate = 5_000_000;

const paths: readonly [stub: string, authority: string, words: string][] = [
  ['tcp', 'udp', 'TCP to the resolver'],
  ['tls', 'udp', 'TLS 1.3 to the resolver'],
  ['tls-fast-open', 'udp', 'the same with Fast Open'],
  ['quic', 'udp', 'QUIC to the resolver'],
  ['quic-early-data', 'udp', 'the same with early data'],
  ['tls', 'tls', 'TLS 1.3 on both legs'],
  ['report-tls', 'udp', 'TLS of 2015 to the resolver'],
  ['report-tls', 'tcp-fast-open', '… and TCP to authorities'],
  ['report-tls', 'report-tls', '… and TLS of 2015 to authorities'],
];

const sites = [5, 10, 20, 40, 80];

export function report({ machine, summary, speed, commands }: Measured): string {
  const at = summary.timeouts.find(({ timeout }) => timeout === recommended);
  if (at === undefined) throw new Error(`there is no timeout of ${recommended} s`);
  const verdict = Math.min(speed.reading, speed.model) >= wantedRate ? 'reached' : 'missed';
  return `# A day replayed

Written by \`npm run bench:replay\`: ${shown(summary.queries, 0)} queries of ${shown(summary.clients, 0)} clients to one resolver in ${shown(summary.seconds / 3600, 1)} hours, made up and
replayed by

    ${commands.trace} | ${commands.replay}

Nobody recorded this day: three of four clients visit pages and ask in bursts, by day more than by night, and the others are devices
that ask now and then. So the figures show what the model says of such a day; the T-DNS report's beside them are of recorded ones. The
model is [decision 0080](../decisions/0080-replay.md), and beside a wire it was tried [for an hour](replay-wire-1h.md) and [for a day](replay-wire-24h.md).

![Reuse of connections by idle timeout](replay.svg)

| idle timeout, s | find a connection | by client: quartiles | open: mean | median | most | MB at most | of kernel | handshakes/s | processors |
|--:|--:|---|--:|--:|--:|--:|--:|--:|--:|
${summary.timeouts.map(reuse).join('\n')}

Memory and processor time take [what was measured of \`sotto-server\`](server.md): ${costsOf(summary)}. After ${recommended} s, ${percent(at.resumedFraction)} of the new connections resume.

## Beside the published figures

| | this day | DNSChanger | Level 3 | B-Root |
|---|--:|--:|--:|--:|
| server side, 120 s | ${percent(outcome(summary, 120).hitFraction)} | 97–98 % | 98–99 % | 94–96 % |
| client side, 60 s: median | ${percent(at.byClient.median)} | 89 % | 72 % | 28 % |
| client side, 60 s: upper quartile | ${percent(at.byClient.upper)} | 95 % | 91 % | 67 % |
| connections | ${shown(at.connections.most, 0)} at 60 s | – | 24,000 at 60 s | 49,000 at 20 s |
| their memory, kernel included | ${megabytes(at)} MB | – | 3,600 MB | 7,400 MB |
| clients | ${shown(summary.clients, 0)} | 15,000 | 282,000 | 3,118,000 |

## If clients keep their connections warm

They open the next connection before the server closes the last one, for three minutes after a query and 60 times an hour at most.

| idle timeout, s | find a connection | without | opened ahead, a query | open: mean | most |
|--:|--:|--:|--:|--:|--:|
${summary.timeouts.map(warm).join('\n')}

## For a million clients and more

${manyClients(summary, at)}

## From end to end

Mean latency by equations 1 to 4 at ${recommended} s, beside UDP everywhere, for round trips of ${sites.join(', ')} ms between stub and resolver. P_C is that of all
queries, and in brackets that of the median client, which the report takes. 40 ms to authorities, P_N 0.8, N_Q 7.

| | ${sites.map((site) => `${site} ms`).join(' | ')} |
|---|${sites.map(() => '--:').join('|')}|
${paths.map((path) => latencies(at, path)).join('\n')}

With the report's parameters the same equations give its results: 61 ms over UDP, +5.4 %, +19 % and +180 % at 5 ms, +15.5 % at
20 ms, and the +9 % and +22 % of its abstract at 10 ms (\`native/lab/src/replay/latency.rs\` holds that in a test).

## How fast

Medians of ${speed.rounds} runs with seven timeouts and the view by client, one thread: ${shown(speed.reading / 1e6, 1)} million queries a second read from CSV, ${shown(speed.model / 1e6, 1)} million a second
modelled; 5 million ${verdict}. ${machine.processor}, ${machine.cores} cores, load before ${shown(machine.loadBefore, 1)}: other work on the machine is part of the figures.
`;
}

function outcome(summary: Replayed, seconds: number): Outcome {
  const found = summary.timeouts.find(({ timeout }) => timeout === seconds);
  if (found === undefined) throw new Error(`there is no timeout of ${seconds} s`);
  return found;
}

function costsOf({ costs }: Replayed): string {
  const kilobytes = (octets: number) => `${shown(octets / 1000, 1)} kB`;
  return `${kilobytes(costs.connectionOctets)} for an idle TLS connection and ${kilobytes(costs.kernelOctets)} of kernel memory
beside, ${costs.fullUs} µs for a full handshake, ${costs.resumedUs} µs for a resumed one and ${costs.queryUs} µs for a query on one of 1,000 connections`;
}

function reuse(at: Outcome): string {
  const { connections } = at;
  const handshakes = at.fullHandshakesPerSecond + at.resumedHandshakesPerSecond;
  const cells = [
    at.timeout,
    percent(at.hitFraction),
    quartiles(at.byClient),
    shown(connections.mean, 0),
    shown(connections.quartiles.median, 0),
    shown(connections.most, 0),
    shown(connections.mostOctets / 1e6, 1),
    shown(connections.mostKernelOctets / 1e6, 1),
    shown(handshakes, 1),
    shown(at.processors, 4),
  ];
  return row(cells);
}

function warm({ timeout, hitFraction, keepWarm }: Outcome): string {
  const { mean, most } = keepWarm.connections;
  const ahead = shown(keepWarm.dialsPerQuery, 3);
  return row([
    timeout,
    percent(keepWarm.hitFraction),
    percent(hitFraction),
    ahead,
    shown(mean, 0),
    shown(most, 0),
  ]);
}

function latencies(
  { latency }: Outcome,
  [stub, authority, words]: readonly [string, string, string],
): string {
  const of = (all: readonly Latency[], site: number) => {
    const found = all.find(
      (one) => one.stub === stub && one.authority === authority && one.stubRoundTripMs === site,
    );
    if (found === undefined) throw new Error(`no latency of ${words} at ${site} ms`);
    return `+${percent(found.moreThanUdp)}`;
  };
  const cells = sites.map(
    (site) => `${of(latency.queries, site)} (${of(latency.medianClient, site)})`,
  );
  return row([words, ...cells]);
}

function megabytes({ connections }: Outcome): string {
  return shown((connections.mostOctets + connections.mostKernelOctets) / 1e6, 0);
}

function quartiles({ lower, median, upper }: Quartiles): string {
  return [lower, median, upper].map(percent).join(' · ');
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

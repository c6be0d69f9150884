/**
 * `npm run bench`: Sotto beside other stubs and forwarders on this machine. Every round starts and measures each program once;
 * all of them have the same upstream and get the same queries.
 */

import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepMeasurement } from '../e2e/rig/keep-measurement.ts';
import { fromDebian } from './debian.ts';
import { figures } from './figures.ts';
import { machineFacts } from './machine-facts.ts';
import { NagleUpstream } from './nagle-upstream.ts';
import { type Options, readOptions } from './options.ts';
import type { Peer } from './peer.ts';
import { dnscryptProxy } from './peers/dnscrypt-proxy.ts';
import { dnsdist } from './peers/dnsdist.ts';
import { dnsproxy } from './peers/dnsproxy.ts';
import { floor } from './peers/floor.ts';
import { smartdns } from './peers/smartdns.ts';
import { earlierSotto, type LogMode, sotto } from './peers/sotto.ts';
import { stubby } from './peers/stubby.ts';
import { unbound } from './peers/unbound.ts';
import { workshop } from './places.ts';
import { Progress } from './progress.ts';
import { writeQueries } from './queries.ts';
import { markdown, type Results } from './report.ts';
import { provideSequential } from './sequential.ts';
import { rotated } from './statistics.ts';
import { Upstream } from './upstream.ts';
import { outcome } from './verdict.ts';
import { type Visit, visit } from './visit.ts';

const others = [unbound, dnsdist, smartdns, dnsproxy, dnscryptProxy, stubby, floor];

const options = readOptions(
  process.argv.slice(2),
  others.map(({ id }) => id),
);
if (typeof options === 'string') {
  console.error(options);
  process.exit(2);
}
/** started programs end with this process */
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130));

await requireTools();
const { present, skipped } = await provideAll([
  ...bothModes(sotto),
  ...(options.before === null ? [] : bothModes(earlierSotto(options.before))),
  ...others.filter(({ id }) => options.peers.has(id)),
]);
const directory = await mkdtemp(join(tmpdir(), 'sotto-bench-'));
process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
const results = await measureAll(present, options);
await report(results, options);

function bothModes(program: (mode: LogMode) => Peer): Peer[] {
  return [program('off'), program('full')];
}

async function measureAll(programs: Peer[], { groups, runs, seconds }: Options): Promise<Results> {
  const machine = await machineFacts();
  const began = new Date();
  const versions = await Promise.all(programs.map((program) => program.version()));
  const queries = await writeQueries(directory, seconds);
  const upstream = await Upstream.start(directory);
  const nagle = groups.has('pairs') ? await NagleUpstream.start(directory) : null;
  const bench = { directory, upstream, nagle, queries, groups, seconds };
  const progress = new Progress(groups);
  const visits: Visit[] = [];
  for (let round = 0; round < runs; round++) {
    progress.head();
    for (const program of rotated(programs, round)) {
      progress.open(round, runs, program.title);
      const seen = await visit(program, round, bench, (key, value) => progress.cell(key, value));
      progress.close(seen);
      visits.push(seen);
    }
  }
  await upstream.stop();
  await nagle?.stop();
  const measured = figures.filter(({ group }) => groups.has(group));
  return {
    date: began.toISOString(),
    machine,
    runs,
    seconds,
    minutes: Math.ceil((Date.now() - began.getTime()) / 60_000),
    programs: programs.map(({ id, title, kind, setup }, index) => {
      return { id, title, kind, setup, version: versions[index] ?? '' };
    }),
    skipped,
    visits,
    outcomes: measured.map((figure) => outcome(figure, programs, visits)),
  };
}

/** Programs that measuring itself needs; unlike a peer, they can't be left out. */
async function requireTools(): Promise<void> {
  const reasons = [
    await fromDebian('dnsperf', 'dnsperf'),
    await fromDebian('dnsdist', 'dnsdist'),
    await fromDebian('openssl', 'openssl'),
    await fromDebian('unbound', 'unbound'),
    await provideSequential(),
  ].filter((reason) => reason !== null);
  if (reasons.length === 0) return;
  console.error(`Nothing can be measured:\n  ${reasons.join('\n  ')}`);
  process.exit(1);
}

async function provideAll(programs: Peer[]) {
  const present: Peer[] = [];
  const skipped: Results['skipped'] = [];
  for (const program of programs) {
    const reason = await program.provide();
    if (reason === null) present.push(program);
    else if (program.kind === 'ours' || program.kind === 'earlier')
      fail(`${program.title}: ${reason}`);
    else skipped.push({ title: program.title, reason });
  }
  for (const { title, reason } of skipped) console.log(`without ${title}: ${reason}`);
  return { present, skipped };
}

async function report(results: Results, { complete }: Options): Promise<void> {
  const text = markdown(results);
  console.log(`\n${text.slice(text.indexOf('## Targets'), text.indexOf('## Programs'))}`);
  if (complete) return await keepMeasurement('bench-stub', text, withoutMaps(results));
  console.log('A part of the whole, or too short a run: not kept with the documents.');
  const file = join(workshop, 'bench-stub.md');
  await mkdir(workshop, { recursive: true });
  await writeFile(file, text);
  console.log(`Written: ${file}`);
}

function withoutMaps(results: Results): unknown {
  const plain = (_key: string, value: unknown) =>
    value instanceof Map ? Object.fromEntries(value) : value;
  return JSON.parse(JSON.stringify(results, plain));
}

function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}

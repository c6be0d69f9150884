/**
 * `npm run bench:simulation`: how many logged queries a second are decided about under a version of a profile, all through the whole
 * service, and what that costs the queries of other programs meanwhile. Writes docs/measurements/simulation.md.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unwrap } from '../../app/cli/failure.ts';
import type { Simulation } from '../../app/contract/settings/simulation.ts';
import {
  type ConnectedService,
  connectToService,
} from '../../app/service-client/service-client.ts';
import { eventually } from '../../e2e/rig/eventually.ts';
import { keepMeasurement } from '../../e2e/rig/keep-measurement.ts';
import { freePort } from '../../e2e/rig/ports.ts';
import { Program } from '../../e2e/rig/process.ts';
import { firstAnswer } from '../first-answer.ts';
import { machineFacts } from '../machine-facts.ts';
import { shown } from '../numbers.ts';
import { program } from '../places.ts';
import { fillQueryLog } from '../query-log/made-up-log.ts';
import { askInSequence, provideSequential } from '../sequential.ts';
import { median } from '../statistics.ts';
import { Upstream } from '../upstream.ts';

const logged = 1_000_000;
const names = 100_000;
const rounds = 7;
const wantedRate = 200_000;

/** As many rules as an organisation may have; the names of some logged queries are below them. */
const bypass = Array.from({ length: 1000 }, (_, index) => ({
  suffix: `example${index}.com`,
  to: ['192.0.2.53'],
}));
const plain = { bypass };
/** With a condition on who asks, equal names of different programs are different queries. */
const conditional = { bypass, refuseFor: [{ unit: ['backup.service'] }] };
const versions = { plain, conditional };
type Version = keyof typeof versions;

interface Run {
  /** queries a second */
  rate: number;
  /** of a name that is asked for meanwhile, 99th percentile, microseconds */
  p99: number;
}

const reason = await provideSequential();
if (reason !== null) throw new Error(reason);
const directory = await mkdtemp(join(tmpdir(), 'sotto-simulation-'));
const machine = await machineFacts();
const upstream = await Upstream.start(directory);
const port = await freePort();
const stub = await startStub();
await firstAnswer(port, stub);
const service = await connect();
const runs: Record<Version, Run[]> = { plain: [], conditional: [] };
const quiet: number[] = [];
let last: Simulation | null = null;
for (let round = 0; round < rounds; round += 1) {
  quiet.push((await askInSequence(port)).p99);
  for (const version of ['plain', 'conditional'] as const) runs[version].push(await run(version));
  console.log(`round ${round + 1} of ${rounds}`);
}
service.close();
await stub.stop();
await upstream.stop();
await rm(directory, { recursive: true });
await keepMeasurement('simulation', report(), { machine, quiet, runs, last });

async function startStub(): Promise<Program> {
  const home = join(directory, 'home');
  await mkdir(home, { mode: 0o700 });
  fillQueryLog(join(home, 'query-log.sqlite'), { rows: logged, names }, Date.now());
  const { port: tls, name, ca } = upstream.server;
  const settings = {
    listen: [`127.0.0.1:${port}`],
    upstreams: [{ id: 'bench', transport: 'dot', address: `127.0.0.1:${tls}`, name, ca }],
    systemResolvers: [],
    queryLog: { keepDays: 3650, maxMegabytes: 100_000 },
  };
  await writeFile(join(home, 'settings.json'), JSON.stringify(settings));
  return await Program.start(process.execPath, [...program, 'run'], { env: { SOTTO_HOME: home } });
}

async function connect(): Promise<ConnectedService> {
  return await eventually('the service', async () => {
    const reached = await connectToService(join(directory, 'home', 'control.sock'), 'bench');
    return reached.ok ? reached.value : undefined;
  });
}

/** Once alone for the rate, and once more beside somebody who asks. */
async function run(version: Version): Promise<Run> {
  const began = performance.now();
  last = await simulate(version);
  const rate = last.queries / ((performance.now() - began) / 1000);
  const [, { p99 }] = await Promise.all([simulate(version), askInSequence(port)]);
  return { rate, p99 };
}

async function simulate(version: Version): Promise<Simulation> {
  const entries = Object.entries(versions[version]);
  const settings = Object.fromEntries(entries.map(([key, value]) => [key, { value }]));
  const facts = { id: 'bench', serial: 1, issuer: 'Bench', name: 'Bench' };
  const profile = Buffer.from(JSON.stringify({ ...facts, settings })).toString('base64');
  const request = { profile, approved: true, last: logged };
  const { problems, simulation } = unwrap(await service.call('profile.simulate', request));
  if (problems.length > 0 || simulation.queries < logged || simulation.changed === 0)
    throw new Error(`this is no measurement: ${JSON.stringify({ problems, ...simulation })}`);
  return simulation;
}

function report(): string {
  const quietly = median(quiet) ?? 0;
  const line = (title: string, version: Version) => {
    const rates = runs[version].map(({ rate }) => rate);
    const rate = median(rates) ?? 0;
    const p99 = median(runs[version].map((one) => one.p99)) ?? 0;
    const each = rates.map((one) => shown(one / 1000, 0)).join(' · ');
    const verdict = rate >= wantedRate ? 'reached' : 'missed';
    return `| ${[title, shown(rate, 0), each, `${shown(wantedRate, 0)} ${verdict}`, shown(p99, 0), shown(p99 / quietly, 2)].join(' | ')} |`;
  };
  return `# Simulating a version of a profile

Written by \`npm run bench:simulation\`: ${shown(logged, 0)} logged queries of ${shown(names, 0)} names (Zipf), each decided about under the settings in
force and under a version with ${shown(bypass.length, 0)} bypass rules, from the request on the control socket to its reply. Medians of ${rounds} runs.
The queries meanwhile are sent one after the other, and their 99th percentile is compared with ${shown(quietly, 0)} µs beside nothing.
${machine.processor}, ${machine.cores} cores, load before ${shown(machine.loadBefore, 1)}: other work on the machine is part of the figures. Node ${machine.node}.

| | queries a second | each run, thousands | at least | p99 meanwhile, µs | beside quiet |
|---|--:|---|---|--:|--:|
${line('no rule asks who it was', 'plain')}
${line('a rule for the programs of one unit', 'conditional')}
`;
}

/**
 * `npm run bench:attribution`: what it costs to look up which program asked, beside the same service without it, and how often
 * somebody is named for another while sockets are opened and closed.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../build/places.mjs';
import { keepMeasurement } from '../../e2e/rig/keep-measurement.ts';
import { freePort } from '../../e2e/rig/ports.ts';
import { Program, run, succeed } from '../../e2e/rig/process.ts';
import { firstAnswer } from '../first-answer.ts';
import { machineFacts } from '../machine-facts.ts';
import { shown } from '../numbers.ts';
import { program } from '../places.ts';
import { askFromNewSockets, provideSequential, type Sequence } from '../sequential.ts';
import { median } from '../statistics.ts';
import { Upstream } from '../upstream.ts';

const rounds = 9;
const races = 100_000;
/** How fast queries come, and how many: one after the other, and so slowly that each can be looked up. */
const loads = [
  { title: 'one after the other', count: 40_000, pauseUs: 0, isFull: true },
  { title: 'with 500 µs between', count: 4_000, pauseUs: 500, isFull: false },
] as const;
const leastRate = 0.9;

interface Measured {
  /** in the order of `loads`, one of each round */
  with: Sequence[][];
  without: Sequence[][];
}

const reason = await provideSequential();
if (reason !== null) throw new Error(reason);
const directory = await mkdtemp(join(tmpdir(), 'sotto-attribution-'));
const machine = await machineFacts();
const upstream = await Upstream.start(directory);
const measured: Measured = { with: loads.map(() => []), without: loads.map(() => []) };
const stubs = [await startStub(true), await startStub(false)] as const;
for (let round = 0; round < rounds; round += 1) {
  const order = round % 2 === 0 ? stubs : [...stubs].reverse();
  for (const [index, { count, pauseUs }] of loads.entries())
    for (const { port, into } of order)
      measured[into][index]?.push(await askFromNewSockets(port, count, pauseUs));
  console.log(`round ${round + 1} of ${rounds}`);
}
for (const { stub } of stubs) await stub.stop();
await upstream.stop();
await rm(directory, { recursive: true });
const raced = await race();
console.log(raced);
await keepMeasurement('attribution', report(), { machine, measured, raced });

async function startStub(programs: boolean) {
  const into = programs ? 'with' : 'without';
  const home = join(directory, into);
  await mkdir(home, { mode: 0o700 });
  const { port: tls, name, ca } = upstream.server;
  const port = await freePort();
  const settings = {
    listen: [`127.0.0.1:${port}`],
    upstreams: [{ id: 'bench', transport: 'dot', address: `127.0.0.1:${tls}`, name, ca }],
    systemResolvers: [],
    queryLog: { programs },
  };
  await writeFile(join(home, 'settings.json'), JSON.stringify(settings));
  const env = { SOTTO_HOME: home };
  const stub = await Program.start(process.execPath, [...program, 'run'], { env });
  await firstAnswer(port, stub);
  return { stub, port, into } as const;
}

/** The sentence of the test of races (native/attribution/tests/race.rs). */
async function race(): Promise<string> {
  const args = ['test', '--release', '--locked', '--manifest-path', 'native/Cargo.toml'];
  const only = ['--target-dir', 'target', '-p', 'sotto-attribution', '--test', 'main'];
  await succeed('cargo', [...args, ...only, '--no-run'], { cwd: root });
  const env = { SOTTO_RACES: `${races}` };
  const words = [...args, ...only, 'race::', '--', '--nocapture'];
  const { stdout, stderr } = await run('cargo', words, { cwd: root, env, timeoutMs: 900_000 });
  const [said] = /\d+ sockets: .*/.exec(stdout) ?? [];
  if (said === undefined) throw new Error(`the races were not run:\n${stdout}${stderr}`);
  return said;
}

function report(): string {
  const figure = (runs: Sequence[] | undefined, of: (sequence: Sequence) => number) =>
    median((runs ?? []).map(of)) ?? 0;
  const rate = ({ mean }: Sequence) => 1e6 / mean;
  const rows = loads.map(({ title, isFull }, index) => {
    const [on, off] = [measured.with[index], measured.without[index]];
    const ratio = figure(on, rate) / figure(off, rate);
    const cells = [
      title,
      ...[on, off].flatMap((runs) => [
        isFull ? shown(figure(runs, rate), 0) : '–',
        shown(
          figure(runs, ({ median: middle }) => middle),
          1,
        ),
        shown(
          figure(runs, ({ p99 }) => p99),
          1,
        ),
      ]),
      isFull ? `${shown(ratio, 2)} ${ratio >= leastRate ? 'reached' : '**missed**'}` : '–',
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return `# Which program asked: what it costs, and whether it is true

Two services side by side, one of which looks up programs (the setting \`queryLog.programs\`); a client asks for one cached name,
each time from a new socket. Medians of ${rounds} interleaved rounds. Responses a second while one is asked after the other; times in
microseconds from sending to receiving. ${machine.processor}, ${machine.cores} cores, load before ${shown(machine.loadBefore, 1)}.

| queries | with: a second | median | p99 | without: a second | median | p99 | rate, at least ${leastRate} |
|---|--:|--:|--:|--:|--:|--:|---|
${rows.join('\n')}

At most 2,000 a second are looked up, so with queries one after the other most are not.

Races, four users whose programs open a socket, send, close it and wait 2 ms (every second one after 5 ms), about a thousand
a second together, each look-up compared with who had sent:
${raced}.
`;
}

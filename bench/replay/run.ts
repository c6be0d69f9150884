/**
 * `npm run bench:replay`: a day of clients that are made up, replayed by `sotto-lab replay` under many idle timeouts, beside what
 * the T-DNS report published of its traces. Writes docs/measurements/replay.md and replay.svg.
 */
import { execFile } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sottoLab } from '../../e2e/rig/available.ts';
import { keepMeasurement, tables } from '../../e2e/rig/keep-measurement.ts';
import { machineFacts } from '../machine-facts.ts';
import { workshop } from '../places.ts';
import { median } from '../statistics.ts';
import { report } from './report.ts';
import type { Replayed } from './summary.ts';

const rounds = 5;
const day = ['trace', '--clients', '20000', '--hours', '24', '--rate', '0.015', '--seed', '1'];
const timeouts = '10,20,30,60,120,240,480';
const options = ['--timeouts', timeouts, '--keep-warm'];

const machine = await machineFacts();
await mkdir(workshop, { recursive: true });
const trace = join(workshop, 'replay-day.csv');
await makeTrace();
const summary = await replay([...options, '--svg', join(tables, 'replay.svg')]);
const speeds: Replayed['speed'][] = [];
for (let round = 0; round < rounds; round += 1) {
  const { speed } = await replay(['--timeouts', timeouts]);
  speeds.push(speed);
  console.log(`round ${round + 1} of ${rounds}`);
}
await rm(trace);
const rate = (seconds: (speed: Replayed['speed']) => number) =>
  median(speeds.map((speed) => speed.queries / seconds(speed))) ?? 0;
const speed = {
  rounds,
  reading: rate(({ readingSeconds }) => readingSeconds),
  model: rate(({ modelSeconds }) => modelSeconds),
};
const commands = {
  trace: `sotto-lab ${day.join(' ')}`,
  replay: `sotto-lab replay - ${options.join(' ')}`,
};
await keepMeasurement('replay', report({ machine, summary, speed, commands }), {
  machine,
  summary,
  speeds,
});

async function makeTrace(): Promise<void> {
  const making = execFile(sottoLab, day, {
    encoding: 'buffer',
    maxBuffer: Number.MAX_SAFE_INTEGER,
  });
  const { stdout } = making;
  if (stdout === null) throw new Error('sotto-lab trace has no output');
  await new Promise<void>((done, failed) => {
    making.on('error', failed);
    stdout.pipe(createWriteStream(trace)).on('finish', done).on('error', failed);
  });
}

async function replay(more: readonly string[]): Promise<Replayed> {
  const { stdout } = await promisify(execFile)(sottoLab, ['replay', trace, '--json', ...more]);
  return JSON.parse(stdout) as Replayed;
}

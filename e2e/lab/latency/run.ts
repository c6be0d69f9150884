/** npm run lab:latency: what a query costs on a distant wire. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from '../../../bench/compiler.ts';
import { workshop } from '../../../bench/places.ts';
import { whyNoLab } from '../../rig/available.ts';
import { endCommand } from '../../rig/end-command.ts';
import { measuredFile, tables } from '../../rig/keep-measurement.ts';
import { figures } from './figures.ts';
import { readOptions, usage } from './options.ts';
import type { Program } from './program.ts';
import { programs } from './programs.ts';
import { shown } from './report/numbers.ts';
import { read } from './report/read.ts';
import { buildStamp, gatherFacts } from './report/run-facts.ts';
import { write } from './report/write.ts';
import { measureAll } from './rounds.ts';

const ids = { figures: figures.map(({ id }) => id), programs: programs.map(({ id }) => id) };
const help = usage(ids.figures, ids.programs);
const options = readOptions(process.argv.slice(2), ids.figures, ids.programs);
if (options === null) endCommand(help, 0);
if (typeof options === 'string') endCommand(`lab:latency: ${options}\n\n${help}`, 2);
const folder = options.out ?? (options.complete ? tables : join(workshop, 'latency'));
const figuresFile = folder === tables ? measuredFile('latency') : join(folder, 'latency.json');
if (options.render) {
  if (!existsSync(figuresFile)) endCommand(`nothing was measured here yet: no ${figuresFile}`, 1);
  const { facts, results } = await read(figuresFile, figures);
  endCommand(`written: ${(await write(folder, figuresFile, facts, results)).join(', ')}`, 0);
}
const reason = whyNoLab() ?? (await compile('paced'));
if (reason !== null) endCommand(`can't run here: ${reason}`, 1);

const wanted = figures.filter(({ id }) => options.only.has(id));
const available = await provided(programs.filter(({ id }) => options.programs.has(id)));
const facts = await gatherFacts(available);
const startedAt = Date.now();
const builtBefore = buildStamp();
const { rounds, rttMs } = options;
const say = (line: string) => console.log(line);
const results = await measureAll({ figures: wanted, programs: available, rounds, rttMs, say });
const changedMeanwhile = buildStamp() !== builtBefore;
const minutes = Math.round((Date.now() - startedAt) / 6000) / 10;

for (const { figure, goals } of results)
  for (const { row, column, atMost, value, state } of goals)
    say(
      `${figure.id.padEnd(14)} ${`${row}, ${column}`.padEnd(52)} ${value === null ? '–' : shown(value)} of ${atMost === null ? '–' : shown(atMost)}: ${state}`,
    );
const written = await write(
  folder,
  figuresFile,
  { ...facts, rounds, rttMs, changedMeanwhile, minutes },
  results,
);
say(`${minutes} minutes; written: ${written.join(', ')}`);
if (results.some(({ failures }) => failures.length > 0)) process.exitCode = 1;

async function provided(chosen: readonly Program[]): Promise<Program[]> {
  const found: Program[] = [];
  for (const program of chosen) {
    const missing = await program.provide();
    if (missing === null) found.push(program);
    else console.error(`without ${program.title}: ${missing}`);
  }
  return found;
}

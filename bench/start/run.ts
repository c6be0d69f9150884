/**
 * `npm run bench:start`: how long a person waits for `sotto status`, beside Node without a program. All ways take turns in one run, so
 * that the ratio holds on any machine. Writes docs/measurements/start.md.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { sottoScript } from '../../build/package/launcher.ts';
import { bundle, commandFlags, commandLine, inRoot } from '../../build/places.mjs';
import { markdownTable } from '../../e2e/lab/markdown-table.ts';
import { keepMeasurement } from '../../e2e/rig/keep-measurement.ts';
import { Lab } from '../../e2e/rig/lab.ts';
import { SottoService } from '../../e2e/rig/sotto-service.ts';
import { shown } from '../numbers.ts';
import { median, rotated } from '../statistics.ts';

const runs = 41;
const most = 80;

interface Way {
  title: string;
  words: string[];
}

if (process.argv.includes('--help')) {
  console.log(`npm run bench:start
  starts each of some commands ${runs} times in turns beside one idle service: half a minute`);
  process.exit();
}
const bundled = join(bundle, 'cli.mjs');
if (commandLine() !== bundled) {
  console.error('The bundle is older than the sources: node_modules/.bin/node build/bundle.ts');
  process.exit(1);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(130));

const lab = new Lab();
await lab.open();
try {
  const loadBefore = loadavg()[0] ?? 0;
  const service = await SottoService.start(lab, { upstreams: [] });
  const ways = waysOf(service.home);
  const times = measure(ways, service.home);
  await keepMeasurement('start', report(ways, times, loadBefore), { times, loadBefore });
  console.log(report(ways, times, loadBefore));
} finally {
  await lab.close();
}

function waysOf(home: string): [bare: Way, ...Way[]] {
  const node = process.execPath;
  const straight = [node, ...commandFlags, bundled];
  return [
    { title: 'Node alone (`node -e 0`)', words: [node, '-e', '0'] },
    { title: '`sotto --version`', words: [...straight, '--version'] },
    { title: '`sotto status`', words: [...straight, 'status'] },
    { title: 'the same, as installed', words: [installedIn(home), 'status'] },
    { title: 'the same, in a checkout', words: [node, inRoot('build', 'sotto.mjs'), 'status'] },
  ];
}

/** The package's own script beside Node and the bundle, as in /usr/lib/sotto. */
function installedIn(folder: string): string {
  const script = join(folder, 'installed', 'bin', 'sotto');
  mkdirSync(dirname(script), { recursive: true });
  writeFileSync(script, sottoScript);
  chmodSync(script, 0o755);
  symlinkSync(process.execPath, join(dirname(script), 'node'));
  symlinkSync(bundle, join(folder, 'installed', 'program'));
  return script;
}

/** Milliseconds of every run, by title. */
function measure(ways: readonly Way[], home: string): Record<string, number[]> {
  const times = new Map(ways.map(({ title }) => [title, [] as number[]]));
  for (let round = 0; round < runs; round++)
    for (const way of rotated(ways, round)) times.get(way.title)?.push(once(way, home));
  return Object.fromEntries(times);
}

function once({ title, words: [command = '', ...given] }: Way, home: string): number {
  const began = performance.now();
  const env = { ...process.env, SOTTO_HOME: home };
  const { stdout, stderr } = spawnSync(command, given, { env, encoding: 'utf8' });
  const took = performance.now() - began;
  if (given.includes('status') && !stdout.includes('Protection'))
    throw new Error(`${title} did not show the status: ${stderr}`);
  return took;
}

function report(
  ways: readonly Way[],
  times: Readonly<Record<string, number[]>>,
  loadBefore: number,
): string {
  const middle = (title: string) => median(times[title] ?? []) ?? Number.NaN;
  const [bare = Number.NaN] = ways.map(({ title }) => middle(title));
  const rows = ways.map(({ title }) => [
    title,
    shown(middle(title), 0),
    shown(Math.min(...(times[title] ?? [])), 0),
    shown(middle(title) / bare, 1),
  ]);
  return `# How soon a command answers

${cpus()[0]?.model}, ${cpus().length} processors, Node ${process.version}, load ${shown(loadBefore, 1)} before; ${runs} runs of each in turns, beside one service
at rest, from the start of the process to its end. Wanted: \`sotto status\` within ${most} ms.

${markdownTable(['', 'median, ms', 'least, ms', 'times Node alone'], rows)}

In a checkout the launcher looks for sources that are newer than the bundle. Where the machine's own Node is older than 24, it starts
the packaged Node besides, which takes as long as Node alone takes once more.
`;
}

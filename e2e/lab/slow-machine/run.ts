/** Which test files fail where the machine is slow and nothing else is wrong: each failure here is a fault of the test, or of Sotto. */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { leftToMachine } from '../../../build/layers.ts';
import { inRoot, root, target } from '../../../build/places.mjs';
import type { TestResult } from '../../../build/test-summary.ts';
import { verdictsFile } from '../../../build/vitest-reporter.ts';
import { chanceFrom } from '../../networks/portal-fuzz/chance.ts';
import { beginLab } from '../../rig/begin-lab.ts';
import { keepMeasurement, lastMeasured } from '../../rig/keep-measurement.ts';
import { whyNoFreezer } from './freezer.ts';
import { type Counted, counted, report } from './report.ts';
import { slowed } from './slowed.ts';

/** So many files share a run of vitest, as in `npm test`, which is most of what a small file costs. */
const groupSize = 40;

const { write, minutes, seed, runs, only } = beginLab({
  usage: `lab:slow-machine [--only WORDS] [--runs N] [--minutes N] [--seed N] [--write]
  Runs the test files, ${groupSize} in each run of vitest, while every processor is busy, the disk is, and all processes of the
  tests stand still for 0.1 to 3 s at random moments. The output of a run in which one fails is kept in target/slow-machine.
  --only WORDS  files whose path contains this
  --runs N      so many runs of each file, one of all files after the other (default 1)
  --minutes N   begin no run after so many minutes (default 60)
  --seed N      of the moments (default: another one each time; it is printed)
  --write       adds the runs to docs/measurements/slow-machine.md`,
  options: {
    only: { type: 'string', default: '' },
    runs: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: `${Math.floor(Math.random() * 2 ** 31)}` },
    write: { type: 'boolean', default: false },
  },
  whyNot: whyNoFreezer,
});

const files = globSync('{app,build,e2e,renderer}/**/*.test.{ts,tsx}', { cwd: root })
  .filter((file) => file.includes(only) && (file === only || !leftToMachine.includes(file)))
  .sort();
const groups = Array.from({ length: Math.ceil(files.length / groupSize) }, (_, index) =>
  files.slice(index * groupSize, (index + 1) * groupSize),
);
const outputs = join(target, 'slow-machine');
mkdirSync(outputs, { recursive: true });
const until = Date.now() + Number(minutes) * 60_000;
const chance = chanceFrom(Number(seed));
const now: Counted[] = [];
console.log(`${files.length} files, ${runs} runs of each, seed ${seed}`);
for (let turn = 0; turn < Number(runs); turn++)
  for (const group of groups) if (Date.now() < until) now.push(...(await together(group)));

const failures = now.filter(({ failed }) => failed > 0);
console.log(`${now.length} runs, ${failures.length} failed`);
if (write) {
  const all = counted([...((await lastMeasured<Counted[]>('slow-machine')) ?? []), ...now]);
  await keepMeasurement('slow-machine', report(all), all);
}
process.exitCode = failures.length > 0 || now.length === 0 ? 1 : 0;

async function together(group: readonly string[]): Promise<Counted[]> {
  const vitest = [process.execPath, inRoot('node_modules', 'vitest', 'vitest.mjs'), 'run'];
  const reporters = ['--reporter=default', `--reporter=${inRoot('build', 'vitest-reporter.ts')}`];
  rmSync(verdictsFile, { force: true });
  const { passed, said, seconds, stops, left } = await slowed(
    [...vitest, ...reporters, ...group],
    root,
    () => chance.next(),
  );
  const blamed = passed ? [] : failedAmong(group);
  const told = `${seconds.toFixed(0)} s, stopped ${stops} times${left > 0 ? `, ${left} processes left` : ''}`;
  console.log(`${passed ? '✓' : '✗'} ${group[0]} and ${group.length - 1} more  ${told}`);
  if (!passed) {
    const output = join(outputs, `${Date.now()}.log`);
    writeFileSync(output, said);
    console.log(['', ...blamed, output].join('\n  '));
  }
  return group.map((file) => ({ file, runs: 1, failed: blamed.includes(file) ? 1 : 0 }));
}

/** All of them, where vitest ended without a word on any. */
function failedAmong(group: readonly string[]): readonly string[] {
  if (!existsSync(verdictsFile)) return group;
  const { failed, crashes } = JSON.parse(readFileSync(verdictsFile, 'utf8')) as TestResult;
  const named = group.filter((file) => [...failed, ...crashes].some((one) => one.includes(file)));
  return named.length > 0 ? named : group;
}

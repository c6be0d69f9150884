/**
 * Killed at any moment: does the system's DNS end as 5a.1 wants it, within five seconds?
 *
 *   node build/bootstrap.mjs lab:give-back -- --trials 200
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { whyNotUnpacked } from '../../networks/unpacked.ts';
import { repository } from '../../system/available.ts';
import { Lab } from '../../system/lab.ts';
import { whyNoLab } from '../available.ts';
import { type Attempt, attempt, holds } from './attempt.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';
import { Stage } from './stage.ts';

const { values } = parseArgs({ options: { trials: { type: 'string', default: '200' } } });
const reason = whyNoLab() ?? whyNotUnpacked('systemd-resolved');
if (reason !== null) {
  console.error(`can't run here: ${reason}`);
  process.exit(1);
}
const lab = new Lab();
await lab.open();
const attempts: Attempt[] = [];
try {
  const stage = await Stage.open(lab);
  for (const trial of plan(Number(values.trials), Math.random)) {
    const one = await attempt(stage, trial);
    attempts.push(one);
    console.log(`${attempts.length} ${JSON.stringify(one)}`);
    if (!holds(one)) process.exitCode = 1;
  }
} finally {
  await lab.close();
}
const file = join(repository, 'docs/measurements/give-back');
await writeFile(`${file}.json`, `${JSON.stringify(attempts, null, 1)}\n`);
await writeFile(`${file}.md`, report(attempts));
console.log(`written: ${file}.md and .json`);

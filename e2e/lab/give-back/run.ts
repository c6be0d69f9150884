/**
 * Kills processes at any moment, and checks whether the system's DNS is as it should be within five seconds.
 *
 *   node build/bootstrap.mjs lab:give-back -- --trials 200
 */

import { beginLab } from '../../rig/begin-lab.ts';
import { keepMeasurement } from '../../rig/keep-measurement.ts';
import { Lab } from '../../rig/lab.ts';
import { whyNotUnpacked } from '../../rig/unpacked.ts';
import { type Attempt, attempt, holds } from './attempt.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';
import { Stage } from './stage.ts';

const { trials } = beginLab({
  usage: `lab:give-back [--trials N]
  --trials N  kills of the service, the guardian, the helper, or several of them, at random moments of taking, holding and giving
              back, and at each step of the helper's (default 200: about a quarter of an hour)
  Writes docs/measurements/give-back.md.`,
  options: { trials: { type: 'string', default: '200' } },
  whyNot: () => whyNotUnpacked('systemd-resolved'),
});
const kills = Number(trials);
if (!Number.isInteger(kills) || kills < 1) {
  console.error(`--trials ${trials}: give a whole number, 1 or more`);
  process.exit(2);
}
const lab = new Lab();
await lab.open();
const attempts: Attempt[] = [];
try {
  const stage = await Stage.open(lab);
  for (const trial of plan(kills, Math.random)) {
    const one = await attempt(stage, trial);
    attempts.push(one);
    console.log(`${attempts.length} ${JSON.stringify(one)}`);
    if (!holds(one)) process.exitCode = 1;
  }
} finally {
  await lab.close();
}
await keepMeasurement('give-back', report(attempts), attempts);

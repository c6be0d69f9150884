/**
 * Kills processes at any moment, and checks whether the system's DNS is as it should be within five seconds.
 *
 *   node build/bootstrap.mjs lab:give-back -- --trials 60
 */

import { type MechanismName, mechanisms } from '../../networks/computer.ts';
import { beginLab } from '../../rig/begin-lab.ts';
import { keepMeasurement } from '../../rig/keep-measurement.ts';
import { Lab } from '../../rig/lab.ts';
import { whyNotUnpacked } from '../../rig/unpacked.ts';
import { type Attempt, attempt, holds } from './attempt.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';
import { Stage } from './stage.ts';

const given = beginLab({
  usage: `lab:give-back [--trials N] [--only MECHANISM]
  --trials N  kills of the service, the guardian, the helper, or several of them, at random moments of taking, holding and giving
              back, and at steps of the helper's, on a computer for each mechanism (default 60: a quarter of an hour in all)
  --only NAME one computer, and nothing is written: ${mechanisms.join(', ')}
  Writes docs/measurements/give-back.md.`,
  options: { trials: { type: 'string', default: '60' }, only: { type: 'string' } },
  whyNot: () => whyNotUnpacked('systemd-resolved') ?? whyNotUnpacked('resolvconf'),
});
const kills = Number(given.trials);
if (!Number.isInteger(kills) || kills < 1)
  refuse(`--trials ${given.trials}: give a whole number, 1 or more`);
const chosen = mechanisms.filter((name) => given.only === undefined || name === given.only);
if (chosen.length === 0) refuse(`--only ${given.only}: give one of ${mechanisms.join(', ')}`);

const attempts: Attempt[] = [];
for (const mechanism of chosen) await killOn(mechanism);
if (!attempts.every(holds)) process.exitCode = 1;
if (given.only === undefined) await keepMeasurement('give-back', report(attempts), attempts);

async function killOn(mechanism: MechanismName): Promise<void> {
  const lab = new Lab();
  await lab.open();
  try {
    const stage = await Stage.open(lab, mechanism);
    for (const trial of plan(kills, Math.random)) {
      const one = await attempt(stage, trial);
      attempts.push(one);
      console.log(`${attempts.length} ${JSON.stringify(one)}`);
    }
  } finally {
    await lab.close();
  }
}

function refuse(words: string): never {
  console.error(words);
  process.exit(2);
}

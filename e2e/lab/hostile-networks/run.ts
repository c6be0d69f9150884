/**
 * Who fights for the system's DNS, and what goes past Sotto meanwhile?
 *
 *   node build/bootstrap.mjs lab:hostile-networks -- --trials 160 --write
 */
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { whyNotUnpacked } from '../../networks/unpacked.ts';
import { repository } from '../../system/available.ts';
import { Lab } from '../../system/lab.ts';
import { beginLab } from '../begin-lab.ts';
import { type AttackName, attacks, type Mechanism } from './attack.ts';
import { report } from './report.ts';
import { type Outcome, type Policy, Stage } from './stage.ts';
import { holds } from './verdict.ts';

const { trials, minutes, only, write } = beginLab({
  usage: `lab:hostile-networks [--trials N] [--minutes M] [--only ATTACK] [--write]
  --trials N     trials in all, most of them under refuse (default 160: about half an hour)
  --minutes M    begins no trial after so long (default 60)
  --only ATTACK  one of ${Object.keys(attacks).join(', ')}
  --write        writes docs/measurements/hostile-networks.md and .json`,
  options: {
    trials: { type: 'string', default: '160' },
    minutes: { type: 'string', default: '60' },
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
  whyNot: () => whyNotUnpacked('systemd-resolved') ?? whyNotUnpacked('isc-dhcp-client'),
});
const wanted = Number(trials);
const names = Object.keys(attacks).filter(
  (name): name is AttackName => only === undefined || name === only,
);
if (!Number.isInteger(wanted) || wanted < 1 || names.length === 0) {
  console.error('--trials wants a whole number, 1 or more, and --only one of the attacks: --help');
  process.exit(2);
}

/** Of six trials of an attack four are under refuse. */
const policies: Policy[] = ['refuse', 'refuse', 'fallback', 'refuse', 'refuse', 'warn'];
const until = Date.now() + Number(minutes) * 60_000;
const outcomes: Outcome[] = [];

/** A computer of its own for each mechanism; they are tried side by side. */
async function tryAll(mechanism: Mechanism): Promise<void> {
  const mine = names.filter((name) => attacks[name].mechanism === mechanism);
  if (mine.length === 0) return;
  const lab = new Lab();
  await lab.open();
  try {
    const stage = await Stage.open(lab, mechanism);
    const count = Math.ceil((wanted * mine.length) / names.length);
    for (let index = 0; index < count && Date.now() < until; index++) {
      const attack = mine[index % mine.length];
      const policy = policies[Math.floor(index / mine.length) % policies.length];
      if (attack === undefined || policy === undefined) continue;
      tell(await stage.attempt({ attack, policy, times: 6, namesEach: 6 }));
    }
  } finally {
    await lab.close();
  }
}

function tell(outcome: Outcome): void {
  outcomes.push(outcome);
  const word = holds(outcome) ? 'held' : 'NOT';
  console.log(`${outcomes.length} ${word} ${JSON.stringify(outcome)}`);
  if (!holds(outcome)) process.exitCode = 1;
}

for (const one of await Promise.allSettled(
  (['file', 'resolved', 'network-manager'] as const).map(tryAll),
))
  if (one.status === 'rejected') {
    console.error(one.reason);
    process.exitCode = 1;
  }

if (write) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: repository });
  const command = `npm run lab:hostile-networks -- --trials ${wanted} --minutes ${minutes} --write`;
  const text = report(outcomes, { command, commit: `${commit}`.trim(), trials: wanted });
  const file = join(repository, 'docs/measurements/hostile-networks');
  await writeFile(`${file}.md`, text);
  await writeFile(`${file}.json`, `${JSON.stringify(outcomes, null, 1)}\n`);
  console.log(`written: ${file}.md and .json`);
}

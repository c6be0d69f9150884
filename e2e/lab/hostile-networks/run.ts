/**
 * Lets other programs and networks change the system's DNS, and counts what goes past Sotto meanwhile.
 *
 *   node build/bootstrap.mjs lab:hostile-networks -- --write
 */
import { execFileSync } from 'node:child_process';
import { root } from '../../../build/places.mjs';
import { whyNoNetworkd } from '../../networks/networkd.ts';
import { beginLab } from '../../rig/begin-lab.ts';
import { keepMeasurement } from '../../rig/keep-measurement.ts';
import { type UnpackedPackage, whyNotUnpacked } from '../../rig/unpacked.ts';
import { attackNames, attacks } from './attacks/attacks.ts';
import { runCampaign } from './campaign.ts';
import type { Broken, Outcome } from './outcome.ts';
import { plan } from './plan.ts';
import { report } from './report.ts';
import { faults } from './verdict.ts';

const unpacked: UnpackedPackage[] = [
  ...(['systemd-resolved', 'isc-dhcp-client'] as const),
  ...(['resolvconf', 'openresolv'] as const),
];
const usualTrials = `${18 * attackNames.length}`;
const given = beginLab({
  usage: `lab:hostile-networks [--trials N] [--minutes M] [--at-once N] [--only WORD] [--write]
  --trials N   trials in all, four in six of them under refuse (default ${usualTrials}: 18 of each attack, about half an hour)
  --minutes M  begins no trial after so long (default 60)
  --at-once N  trials side by side, each on a computer of its own (default 2)
  --only WORD  an attack, or all that have this word in their name or their computer's:
               ${attackNames.join(', ')}
  --write      writes docs/measurements/hostile-networks.md; with all attacks only`,
  options: {
    trials: { type: 'string', default: usualTrials },
    minutes: { type: 'string', default: '60' },
    'at-once': { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    write: { type: 'boolean', default: false },
  },
  whyNot: () => unpacked.map(whyNotUnpacked).find((why) => why !== null) ?? whyNoNetworkd(),
});
const { only } = given;
const trials = Number(given.trials);
const minutes = Number(given.minutes);
const atOnce = Number(given['at-once']);
const exactly = attackNames.filter((name) => name === only);
const alike = attackNames.filter((name) => name.includes(only) || attacks[name].on.includes(only));
const names = exactly.length > 0 ? exactly : alike;
const areCounts = [trials, minutes, atOnce].every((count) => Number.isInteger(count) && count > 0);
if (!areCounts || names.length === 0) {
  console.error('the numbers want to be whole, 1 or more, and --only a word of an attack: --help');
  process.exit(2);
}
if (given.write && only !== '') {
  console.error('--write with --only would write half a table; leave one of them away');
  process.exit(2);
}

const outcomes: Outcome[] = [];
const broken: Broken[] = [];
const until = Date.now() + minutes * 60_000;
await runCampaign(plan(trials, names), atOnce, {
  isOver: () => Date.now() >= until,
  tell(outcome) {
    outcomes.push(outcome);
    say(faults(outcome).join(', ') || 'held', outcome);
  },
  complain(one) {
    broken.push(one);
    say('came to no end', one);
  },
});

function say(word: string, what: Outcome | Broken): void {
  console.log(`${outcomes.length + broken.length} ${word} ${JSON.stringify(what)}`);
  if (word !== 'held') process.exitCode = 1;
}

if (given.write) {
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root });
  const command = `npm run lab:hostile-networks -- --trials ${trials} --minutes ${minutes} --write`;
  const text = report(outcomes, broken, { command, commit: `${commit}`.trim(), trials });
  await keepMeasurement('hostile-networks', text, outcomes);
}

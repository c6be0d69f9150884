import { beginLab } from '../../rig/begin-lab.ts';
import { keepMeasurement } from '../../rig/keep-measurement.ts';
import { Lab } from '../../rig/lab.ts';
import { percent } from '../stolen-time.ts';
import { line, report } from './report.ts';
import { whyNoStrangers } from './stage.ts';
import { type Observed, observe, plan, problemsOf, type Wish } from './trial.ts';

const { write, seconds } = beginLab({
  usage: `lab:hostile-clients [--seconds N] [--write]
  64 connections follow, ask, begin works or send half requests as hard as they can: as an account that may only observe, and as
  the service's own. Meanwhile a person asks for the status.
  --seconds N  of each trial (default 10)
  --write      writes docs/measurements/hostile-clients.md`,
  options: {
    write: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '10' },
  },
  whyNot: whyNoStrangers,
});
/** A trial in which more of the processors' time was stolen says little about the service, and is repeated. */
const mostStolen = 0.2;
const attempts = 5;

const observed: Observed[] = [];
let repeated = 0;
for (const wish of plan(Number(seconds))) {
  let one = await attempt(wish);
  for (let each = 1; each < attempts && one.stolen > mostStolen; each++) {
    console.log(`  ${percent(one.stolen)} stolen: once more`);
    repeated++;
    one = await attempt(wish);
  }
  observed.push(one);
  console.log(line(one));
  for (const problem of problemsOf(one, true)) {
    console.log(`✗ ${problem}`);
    process.exitCode = 1;
  }
}

async function attempt(wish: Wish): Promise<Observed> {
  const lab = new Lab();
  await lab.open();
  try {
    return await observe(lab, wish);
  } finally {
    await lab.close();
  }
}

if (write) await keepMeasurement('hostile-clients', report(observed, repeated), observed);

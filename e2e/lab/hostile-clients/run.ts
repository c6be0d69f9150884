/**
 * What 64 hostile connections to the control socket cost the service, and whether a person is answered meanwhile.
 *
 *   node build/bootstrap.mjs lab:hostile-clients -- --write
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repository } from '../../system/available.ts';
import { Lab } from '../../system/lab.ts';
import { beginLab } from '../begin-lab.ts';
import { line, report } from './report.ts';
import { whyNoStrangers } from './stage.ts';
import { type Observed, observe, plan, problemsOf } from './trial.ts';

const { write, seconds } = beginLab({
  usage: `lab:hostile-clients [--seconds N] [--write]
  64 connections follow, ask, begin works or send half requests as hard as they can: as an account that may only observe, and as
  the service's own. Meanwhile a person asks for the status.
  --seconds N  of each trial (default 10)
  --write      writes docs/measurements/hostile-clients.md and .json`,
  options: {
    write: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '10' },
  },
  whyNot: whyNoStrangers,
});
const observed: Observed[] = [];
for (const wish of plan(Number(seconds))) {
  const lab = new Lab();
  await lab.open();
  try {
    const one = await observe(lab, wish);
    observed.push(one);
    console.log(line(one));
    for (const problem of problemsOf(one, true)) {
      console.log(`✗ ${problem}`);
      process.exitCode = 1;
    }
  } finally {
    await lab.close();
  }
}
if (write) {
  const file = join(repository, 'docs/measurements/hostile-clients');
  await writeFile(`${file}.json`, `${JSON.stringify(observed, null, 1)}\n`);
  await writeFile(`${file}.md`, report(observed));
  console.log(`written: ${file}.md and .json`);
}

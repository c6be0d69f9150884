/**
 * Runs a hundred thousand hostile peers against the portal's parts, and checks that no exception escapes and nothing hangs or is
 * left over.
 *
 *   node build/bootstrap.mjs lab:portal-fuzz -- --exchanges 100000 --write
 */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { root } from '../../../build/places.mjs';
import { endCommand } from '../../rig/end-command.ts';
import { keepMeasurement } from '../../rig/keep-measurement.ts';
import { asItMustBe, lookAfterwards } from './afterwards.ts';
import { runCampaign, whatIsWrong } from './campaign.ts';
import { report } from './report.ts';

const usage = `lab:portal-fuzz [--exchanges N] [--seed N] [--lanes N] [--write]
  --exchanges N  how many peers are met (default 100000)
  --seed N       of the first; each exchange has the next one, and is made of it alone. Without it, another one each time
  --lanes N      so many at the same time (default 16)
  --write        writes docs/measurements/portal-fuzz.md
One exchange again: --seed ITS_SEED --exchanges 1. Needs no root and no network but loopback.
Ctrl-C ends it after the exchanges that are under way, and what was reached is written.
Exit codes: 0 nothing escaped, hung or stayed behind, 1 something did, 2 wrong usage.`;

const { exchanges, seed, lanes, write } = read();
console.log(`seed ${seed}, ${exchanges} exchanges, ${lanes} at a time`);
const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], {
  cwd: root,
  encoding: 'utf8',
}).trim();
const began = performance.now();
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());
const campaign = await runCampaign({
  signal: stop.signal,
  ...{ seed, exchanges, lanes },
  onProgress: (done, wrong) =>
    console.log(
      `${done}, ${wrong} wrong, after ${Math.round((performance.now() - began) / 1000)} s`,
    ),
});
const afterwards = await lookAfterwards();
const wrong = whatIsWrong(campaign);
const works = JSON.stringify(afterwards) === JSON.stringify(asItMustBe);
console.log(`${campaign.reached} of ${exchanges} carried out`);
console.log(wrong ?? 'nothing escaped, hung or stayed behind');
console.log(`afterwards: ${JSON.stringify(afterwards)}`);
if (wrong !== null || !works) process.exitCode = 1;
if (write) {
  const command = `npm run lab:portal-fuzz -- --exchanges ${exchanges} --seed ${seed} --lanes ${lanes} --write`;
  const seconds = Math.round((performance.now() - began) / 1000);
  const result = { command, commit, node: process.version, seconds, ...campaign, afterwards };
  await keepMeasurement('portal-fuzz', report(result), result);
}

function read() {
  try {
    const options = {
      exchanges: { type: 'string', default: '100000' },
      seed: { type: 'string', default: String(randomInt(2 ** 30)) },
      lanes: { type: 'string', default: '16' },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    } as const;
    const { values } = parseArgs({ options });
    if (values.help) return endCommand(usage, 0);
    const whole = (name: 'exchanges' | 'seed' | 'lanes') => {
      const number = Number(values[name]);
      if (!Number.isInteger(number) || number < 1)
        throw new Error(`--${name} ${values[name]}: give a whole number, 1 or more`);
      return number;
    };
    return {
      exchanges: whole('exchanges'),
      seed: whole('seed'),
      lanes: whole('lanes'),
      write: values.write,
    };
  } catch (error) {
    return endCommand(`${(error as Error).message}\n\n${usage}`, 2);
  }
}

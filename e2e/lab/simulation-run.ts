/**
 * Plays made-up runs of the engine on a simulated network, each from a seed of its own.
 *
 *   node build/bootstrap.mjs lab:simulation -- --seeds 10000
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { passThrough } from '../../build/child.mjs';
import { cargoEnvironment, workspace } from '../../build/native.mjs';
import { root } from '../../build/places.mjs';
import { endCommand } from '../rig/end-command.ts';

const usage = `lab:simulation [--seeds N] [--from N]
  --seeds N  how many runs (default 10000)
  --from N   the seed of the first; each run has the next one. Without it, another one each time
A seed that breaks something is printed with what happened, line by line, and with the command that plays it again.
Exit codes: 0 everything held, 2 wrong usage, otherwise something did not.`;

const { seeds, from } = read();
const test = ['-p', 'sotto-engine', '--test', 'main', 'simulation::', '--', '--nocapture'];
await passThrough('cargo', ['test', ...workspace, ...test], {
  cwd: root,
  env: { ...cargoEnvironment(), SOTTO_SEEDS: seeds, SOTTO_SEED: from },
});

function read() {
  try {
    const options = {
      seeds: { type: 'string', default: '10000' },
      from: { type: 'string', default: `${randomInt(2 ** 40)}` },
      help: { type: 'boolean', short: 'h', default: false },
    } as const;
    const { seeds, from, help } = parseArgs({ options }).values;
    if (help) endCommand(usage, 0);
    for (const number of [seeds, from])
      if (!/^\d{1,15}$/.test(number)) throw new Error(`${number}: not a number`);
    return { seeds, from };
  } catch (error) {
    return endCommand(`${(error as Error).message}\n\n${usage}`, 2);
  }
}

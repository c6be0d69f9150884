/**
 * Tries every policy against every fault, and counts on the wire whether anything leaves in cleartext that is not in the ledger.
 *
 *   node build/bootstrap.mjs lab:policy -- [--only WORDS] [--at-once N] [--write]
 */

import { parseArgs } from 'node:util';
import { whyNoLab } from '../../rig/available.ts';
import { endCommand } from '../../rig/end-command.ts';
import { keepMeasurement } from '../../rig/keep-measurement.ts';
import { Lab } from '../../rig/lab.ts';
import { makeIdentities } from './identities.ts';
import { allCells, runCells } from './matrix.ts';
import { line, markdown } from './report.ts';
import { backWithinMs } from './verdict.ts';

const usage = `lab:policy [--only WORDS] [--at-once N] [--write]
  --only WORDS  the cells whose policy or fault contains this, such as fallback or "black hole"
  --at-once N   cells that run beside each other (default 3)
  --write       write docs/measurements/policy-matrix.md; with all cells only
Needs root, network namespaces, tshark, openssl and a C compiler.
Exit codes: 0 every cell is as it must be, 1 one is not, 2 wrong usage.`;

const { only, atOnce, shallWrite } = readArguments();
const reason = whyNoLab();
if (reason !== null) endCommand(`can't run here: ${reason}`, 1);
const cells = allCells.filter(({ policy, fault }) =>
  `${policy.name} × ${fault.name}`.includes(only),
);
if (cells.length === 0) endCommand(`--only ${only}: no such cell`, 2);

const lab = new Lab();
await lab.open();
try {
  const startedAt = Date.now();
  let done = 0;
  const verdicts = await Promise.all(
    runCells(cells, await makeIdentities(lab), atOnce).map(async (running) => {
      const verdict = await running;
      console.log(`${String(++done).padStart(2)}/${cells.length} ${line(verdict)}`);
      return verdict;
    }),
  );
  const seconds = Math.round((Date.now() - startedAt) / 1000);
  const bad = verdicts.filter(({ problems }) => problems.length > 0);
  console.log(`${cells.length} cells in ${seconds} s, ${bad.length} not as they must be`);
  if (shallWrite)
    await keepMeasurement('policy-matrix', markdown(verdicts, seconds), {
      seconds,
      backWithinMs,
      verdicts,
    });
  if (bad.length > 0) process.exitCode = 1;
} finally {
  await lab.close();
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', default: '' },
        'at-once': { type: 'string', default: '3' },
        write: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if (values.help) endCommand(usage, 0);
    const atOnce = Number(values['at-once']);
    if (!Number.isInteger(atOnce) || atOnce < 1)
      throw new Error(`--at-once ${values['at-once']}: give a whole number, 1 or more`);
    if (values.write && values.only !== '')
      throw new Error('--write with --only would write half a table; leave one of them away');
    return { only: values.only, atOnce, shallWrite: values.write };
  } catch (error) {
    return endCommand(`lab:policy: ${(error as Error).message}\n${usage}`, 2);
  }
}

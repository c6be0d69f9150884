/**
 * What each test file costs the processor: its own process, and the programs that it started and waited for (proc_pid_stat(5)). Of
 * files that share a process, each has what came since the one before.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { afterAll, expect } from 'vitest';
import { root } from './places.mjs';
import { costsFile } from './test-costs.ts';

/** In user and kernel mode, then the same of children. */
const firstField = 13;
/** USER_HZ, which is 100 on every machine that Linux runs on. */
const ticksPerSecond = 100;

/** Of this process, until the file before had ended. vitest loads this module anew for each file. */
const counted: typeof globalThis & { ticksBefore?: number } = globalThis;

afterAll(() => {
  const { testPath } = expect.getState();
  if (testPath === undefined || !existsSync('/proc/self/stat')) return;
  const fields = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\)/, '_ _').split(' ');
  const ticks = fields
    .slice(firstField, firstField + 4)
    .reduce((sum, field) => sum + Number(field), 0);
  const seconds = (ticks - (counted.ticksBefore ?? 0)) / ticksPerSecond;
  counted.ticksBefore = ticks;
  const cost = { file: relative(root, testPath), seconds };
  mkdirSync(dirname(costsFile), { recursive: true });
  appendFileSync(costsFile, `${JSON.stringify(cost)}\n`);
});

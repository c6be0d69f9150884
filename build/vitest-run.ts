/** Runs vitest and reads the results that our reporter wrote. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { run } from './child.mjs';
import { inRoot, root } from './places.mjs';
import { costsFile, dearest } from './test-costs.ts';
import type { TestResult } from './test-summary.ts';
import { verdictsFile } from './vitest-reporter.ts';

export async function runVitest(only: string[]): Promise<TestResult> {
  rmSync(verdictsFile, { force: true });
  rmSync(costsFile, { force: true });
  const { code } = await run(
    process.execPath,
    [
      inRoot('node_modules', 'vitest', 'vitest.mjs'),
      'run',
      '--reporter=default',
      `--reporter=${inRoot('build', 'vitest-reporter.ts')}`,
      ...only,
    ],
    // who names a file also waits for what is built for it, and runs what is left to test:machine otherwise
    { cwd: root, env: { ...process.env, SOTTO_TESTS_NAMED: only.length > 0 ? 'yes' : 'no' } },
  );
  if (existsSync(costsFile))
    for (const line of dearest(readFileSync(costsFile, 'utf8'))) console.log(line);
  return readVerdicts(existsSync(verdictsFile) ? readFileSync(verdictsFile, 'utf8') : null, code);
}

/** Without results, or with a failing exit code without a failed test, vitest has crashed. */
export function readVerdicts(text: string | null, exitCode: number): TestResult {
  const result: TestResult = text
    ? JSON.parse(text)
    : { passed: 0, failed: [], skipped: [], crashes: ['vitest ended before it reported'] };
  if (exitCode !== 0 && result.failed.length + result.crashes.length === 0)
    result.crashes.push(`vitest ended with ${exitCode}: see its output above`);
  return result;
}

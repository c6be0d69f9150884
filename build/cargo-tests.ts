/** Runs the workspace's Rust tests, shows them as they come, and counts what each binary says of itself. */
import { run } from './child.mjs';
import { cargoEnvironment, workspace } from './native.mjs';
import { root } from './places.mjs';
import type { TestResult } from './test-summary.ts';

export async function runCargoTests(): Promise<TestResult> {
  let output = '';
  const { code } = await run(
    'cargo',
    ['test', ...workspace, '--no-fail-fast'],
    { cwd: root, env: cargoEnvironment(), stdio: ['inherit', 'pipe', 'inherit'] },
    (text) => {
      output += text;
      process.stdout.write(text);
    },
  );
  return readCargoOutput(output, code);
}

/**
 * A binary that announced `running N tests` and never printed its result crashed. A failing exit
 * code that no failed test explains (a compile error, a crash) is one too.
 */
export function readCargoOutput(output: string, exitCode: number): TestResult {
  const result: TestResult = { passed: 0, failed: [], skipped: [], crashes: [] };
  let started = 0;
  let finished = 0;
  for (const line of output.split('\n')) {
    if (/^running \d+ tests?$/.test(line)) started += 1;
    if (/^test result: /.test(line)) {
      finished += 1;
      result.passed += Number(/ (\d+) passed/.exec(line)?.[1] ?? 0);
    }
    const verdict = /^test (.+) \.\.\. (FAILED|ignored)(?:, (.*))?$/.exec(line);
    if (verdict?.[2] === 'FAILED') result.failed.push(`${verdict[1]}`);
    if (verdict?.[2] === 'ignored')
      result.skipped.push({ test: `${verdict[1]}`, reason: verdict[3] ?? '' });
  }
  if (started > finished)
    result.crashes.push(`${started - finished} Rust test binaries ended before their last test`);
  else if (exitCode !== 0 && result.failed.length === 0)
    result.crashes.push(`cargo test ended with ${exitCode}: see its output above`);
  return result;
}

/** Runs the workspace's Rust tests, shows their output, and counts the results of each binary. */
import { run } from './child.mjs';
import { cargoEnvironment, workspace } from './native.mjs';
import { root } from './places.mjs';
import type { TestResult } from './test-summary.ts';

const tests = ['test', ...workspace, '--no-fail-fast'];

/** They wait more than they compute. */
const threads = { RUST_TEST_THREADS: '8' };

/** In what other programs leave of the processor. Whoever runs the tests then sees its messages, where it fails. */
export async function compileCargoTests(): Promise<void> {
  const words = ['-n', '19', 'cargo', ...tests, '--no-run', '--quiet'];
  await run('nice', words, { cwd: root, env: cargoEnvironment(), stdio: 'ignore' });
}

export async function runCargoTests(): Promise<TestResult> {
  // the streams are kept apart, because a chunk may end in mid-line
  const output = { stdout: '', stderr: '' };
  const { code } = await run(
    'cargo',
    tests,
    { cwd: root, env: { ...cargoEnvironment(), ...threads }, stdio: ['inherit', 'pipe', 'pipe'] },
    (text, stream) => {
      output[stream] += text;
      process[stream].write(text);
    },
  );
  return readCargoOutput(output.stderr + output.stdout, code);
}

/**
 * A binary that announced `running N tests` and never printed its result has crashed. A failing exit code without a failed test
 * (a compile error, a crash) counts as a crash, too. A test that prints `skipped` (native/skip) counts as skipped, although its
 * binary counts it as passed.
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
    judge(line, result);
  }
  if (started > finished)
    result.crashes.push(`${started - finished} Rust test binaries ended before their last test`);
  else if (exitCode !== 0 && result.failed.length === 0)
    result.crashes.push(`cargo test ended with ${exitCode}: see its output above`);
  return result;
}

function judge(line: string, result: TestResult): void {
  const [, test = '', verdict, reason = ''] =
    /^test (.+) \.\.\. (FAILED|ignored|skipped)(?:, (.*))?$/.exec(line) ?? [];
  if (verdict === undefined) return;
  if (verdict === 'FAILED') result.failed.push(test);
  else result.skipped.push({ test, reason });
  if (verdict === 'skipped') result.passed -= 1;
}

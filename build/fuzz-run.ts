/**
 * Half a minute of fuzzing, where a nightly toolchain and cargo-fuzz are installed, and some seconds for what is written in
 * TypeScript, everywhere; each target counts as a test.
 */
import { run } from './child.mjs';
import { inRoot, root } from './places.mjs';
import { sum, type TestResult } from './test-summary.ts';

export async function runFuzzers(): Promise<TestResult> {
  return sum([
    await fuzz('sh', [inRoot('native', 'fuzz.sh')]),
    await fuzz(process.execPath, [inRoot('build', 'fuzz', 'fuzz-profiles.ts')]),
  ]);
}

async function fuzz(command: string, args: string[]): Promise<TestResult> {
  let output = '';
  const { code } = await run(
    command,
    args,
    { cwd: root, stdio: ['inherit', 'pipe', 'inherit'] },
    (text) => {
      output += text;
      process.stdout.write(text);
    },
  );
  return readFuzzOutput(output, code);
}

export function readFuzzOutput(output: string, exitCode: number): TestResult {
  const result: TestResult = { passed: 0, failed: [], skipped: [], crashes: [] };
  const skipped = /^skipped fuzzing: (.+)$/m.exec(output)?.[1];
  if (skipped !== undefined) result.skipped.push({ test: 'fuzzing', reason: skipped });
  for (const [, target, verdict] of output.matchAll(/^(\w+): (found something|.+)/gm)) {
    if (verdict === 'found something') result.failed.push(`fuzz target ${target}`);
    else result.passed += 1;
  }
  const explained = result.failed.length > 0 || (exitCode === 0 && result.passed > 0);
  if (skipped === undefined && !explained)
    result.crashes.push(`fuzzing ended with ${exitCode}: see its output above`);
  return result;
}

/** Writes every result to a file, and skips with the reason that their test gave (vitest's JSON drops it). */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import type { SerializedError } from 'vitest';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { inRoot, root } from './places.mjs';
import type { TestResult } from './test-summary.ts';

export const verdictsFile = inRoot('target', 'vitest-verdicts.json');

export default class VerdictReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const result: TestResult = { passed: 0, failed: [], skipped: [], crashes: [] };
    for (const module of modules) {
      for (const test of module.children.allTests()) record(test, result);
      result.crashes.push(...crashes(relative(root, module.moduleId), module.errors()));
      for (const suite of module.children.allSuites())
        result.crashes.push(...crashes(suite.fullName, suite.errors()));
    }
    result.crashes.push(...crashes('outside any test', errors));
    mkdirSync(dirname(verdictsFile), { recursive: true });
    writeFileSync(verdictsFile, JSON.stringify(result));
  }
}

function crashes(where: string, errors: readonly SerializedError[]): string[] {
  return errors.map(({ message }) => `${where}: ${message}`);
}

function record(test: TestCase, result: TestResult): void {
  const name = `${relative(root, test.module.moduleId)} › ${test.fullName}`;
  const verdict = test.result();
  if (verdict.state === 'passed') result.passed += 1;
  else if (verdict.state === 'skipped') {
    result.skipped.push({ test: name, reason: verdict.note ?? reasonInTitle(name) });
  } else result.failed.push(name);
}

/** A whole `describe` cannot have a note, so ours have `[skipped: REASON]` in their title. */
function reasonInTitle(name: string): string {
  return /\[skipped: (.+?)\]/.exec(name)?.[1] ?? '';
}

/** What the two test runners report, in one shape, and what is printed of it. */

export interface TestResult {
  passed: number;
  failed: string[];
  skipped: Skip[];
  /** a runner, binary or file that ended without judging its tests; each counts as failed */
  crashes: string[];
}

export interface Skip {
  test: string;
  /** ends with the command that enables the test */
  reason: string;
}

const unexplained = 'no reason given (context.skip(REASON) or #[ignore = "REASON"])';

export function sum(results: TestResult[]): TestResult {
  return {
    passed: results.reduce((total, result) => total + result.passed, 0),
    failed: results.flatMap((result) => result.failed),
    skipped: results.flatMap((result) => result.skipped),
    crashes: results.flatMap((result) => result.crashes),
  };
}

export function skipsByReason(skipped: Skip[]): string[] {
  if (skipped.length === 0) return [];
  const groups = Object.entries(Object.groupBy(skipped, ({ reason }) => reason || unexplained));
  return [
    '\nSkipped:',
    ...groups.flatMap(([reason, tests = []]) => [
      `  ${reason}`,
      ...tests.map(({ test }) => `    ${test}`),
    ]),
  ];
}

export function closingLine({ passed, failed, skipped, crashes }: TestResult): string {
  return `${passed} passed, ${failed.length + crashes.length} failed, ${skipped.length} skipped`;
}

/** The results of both test runners in one form, and their summary in text. */

export interface TestResult {
  passed: number;
  failed: string[];
  skipped: Skip[];
  /** runners, binaries or files that ended without a result of their tests; each counts as failed */
  crashes: string[];
}

export interface Skip {
  test: string;
  /** the reason, which ends with the command that enables the test */
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

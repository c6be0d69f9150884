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

/** One line for who has a machine without our peers, with the command that brings what most of the tests lack. */
export function whatEnables(skipped: Skip[]): string[] {
  const reasons = skipped.map(({ reason }) => reason);
  const lacking = reasons.flatMap((reason) => [...reason.matchAll(/apt-get install ([\w.+-]+)/g)]);
  const packages = [...new Set(lacking.map(([, name]) => name))];
  const commands = [
    ...(packages.length > 0 ? [`sudo apt-get install ${packages.sort().join(' ')}`] : []),
    ...(reasons.some((reason) => /\broot\b/.test(reason)) ? ['sudo npm test'] : []),
  ];
  if (commands.length === 0) return [];
  return [`\nMost of the ${skipped.length} skipped tests run after: ${commands.join(' && ')}`];
}

export function closingLine({ passed, failed, skipped, crashes }: TestResult): string {
  return `${passed} passed, ${failed.length + crashes.length} failed, ${skipped.length} skipped`;
}

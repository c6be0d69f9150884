/** The programs whose settings Sotto can change so that their queries come to it (docs/decisions/0048-fixes.md). */
export const coverageFixes = [
  'firefox',
  'chromium',
  'chrome',
  'edge',
  'brave',
  'network-manager',
  'docker',
] as const;
export type CoverageFix = (typeof coverageFixes)[number];

/**
 * Test files that `npm test` leaves to `npm run test:machine`: they install the packages, start whole systems, and do what the pages for
 * administrators say. A change to these parts runs them by name. No promise of SECURITY.md rests on one of them.
 */
export const leftToMachine: readonly string[] = [
  'e2e/packages/admin-pages.test.ts',
  'e2e/packages/app-image.test.ts',
  'e2e/packages/boot.test.ts',
  'e2e/packages/debian-package.test.ts',
  'e2e/packages/docker-fix.test.ts',
  'e2e/packages/server-package.test.ts',
  'e2e/system/playbook.test.ts',
  'e2e/system/several-servers.test.ts',
];

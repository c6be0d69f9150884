/** Test files that `npm test` leaves to its other layers (docs/tests.md). No promise of SECURITY.md rests on one of them. */

/** Deaths at each step, load, and peers that are slow, silent or far away: `npm test -- --campaign`, one of the campaigns. */
export const leftToCampaign: readonly string[] = [
  'e2e/lab/dead-upstream.test.ts',
  'e2e/lab/fast-open.test.ts',
  'e2e/lab/hostile-clients.test.ts',
  'e2e/lab/nagle.test.ts',
  'e2e/lab/strategies.test.ts',
  'e2e/load/clock.test.ts',
  'e2e/load/descriptors.test.ts',
  'e2e/load/disliked.test.ts',
  'e2e/load/failing-listeners.test.ts',
  'e2e/load/flapping.test.ts',
  'e2e/load/restarts.test.ts',
  'e2e/load/silent-upstream.test.ts',
  'e2e/load/stopped.test.ts',
  'e2e/networks/profile-roll-back.test.ts',
  'e2e/system/load.test.ts',
];

/** `npm test` has it, too, without its collector. */
export const campaignAlone = 'e2e/system/fleet-view.test.ts';

/** They install the packages, start whole systems, and do what the pages for administrators say: `npm run test:machine`. */
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

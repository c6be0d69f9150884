import { configDefaults, defineConfig } from 'vitest/config';
import { leftToCampaign, leftToMachine } from './build/layers.ts';
import { inRoot } from './build/places.mjs';
import { filesThatShare } from './build/shared-worker.ts';

const shared = filesThatShare();
const left = process.env['SOTTO_TESTS_NAMED'] === 'no' ? [...leftToMachine, ...leftToCampaign] : [];
/** Node strips the types of each source once, and not in every process and thread that a test starts. */
const env = { NODE_COMPILE_CACHE: inRoot('target', 'compile-cache') };

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['e2e/{lab,load,machine,networks,packages,rig,system,tray,ui}/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...left],
          isolate: false,
          env,
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: ['{app,bench,build,renderer}/**/*.test.{ts,tsx}'],
          exclude: [...configDefaults.exclude, ...shared, ...left],
          env,
        },
      },
      {
        extends: true,
        // These compute where the others wait, so they come after them, and in fewer workers.
        test: {
          name: 'shared',
          include: shared,
          isolate: false,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    /** system tests start real servers; a hung one must end, a slow machine must not fail */
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    /** tests wait more than they compute; every file has folders and ports of its own */
    maxWorkers: 6,
    setupFiles: ['build/vitest-costs.ts'],
  },
});

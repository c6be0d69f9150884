import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'app/**/*.test.ts',
      'bench/**/*.test.ts',
      'build/**/*.test.ts',
      'e2e/{lab,load,machine,networks,packages,rig,system,tray,ui}/**/*.test.ts',
      'renderer/**/*.test.{ts,tsx}',
    ],
    /** system tests start real servers; a hung one must end, a slow machine must not fail */
    testTimeout: 240_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000 } },
    /** tests wait more than they compute; every file has folders and ports of its own */
    maxWorkers: 4,
    setupFiles: ['build/vitest-costs.ts'],
  },
});

/** `npm run screens`: makes the pictures as tests are run, with the same stage; those that SCREENS names, or all. */
import { defineConfig } from 'vitest/config';

const only = process.env['SCREENS'];

export default defineConfig({
  test: {
    include: [
      'e2e/ui/day-screens.ts',
      'e2e/ui/screens.ts',
      'e2e/ui/login-screens.ts',
      'e2e/ui/tray-screens.ts',
      'e2e/tray/shell-screens.ts',
    ],
    ...(only === undefined
      ? {}
      : { testNamePattern: new RegExp(` (${only.split(',').join('|')})$`) }),
    testTimeout: 300_000,
    hookTimeout: 180_000,
  },
});

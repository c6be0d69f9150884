/** `npm run screens`: makes the pictures as tests are run, with the same stage. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['e2e/ui/screens.ts', 'e2e/ui/login-screens.ts'],
    testTimeout: 300_000,
    hookTimeout: 180_000,
  },
});

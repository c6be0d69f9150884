import { expect, test } from 'vitest';
import { succeed } from '../../contract/errors.ts';
import type { CoverageRow } from '../../contract/system/coverage.ts';
import { runCommand, serve } from '../fixtures/fake-service.ts';

const camera: CoverageRow = {
  ...{ source: 'counted', kind: 'program', name: 'camera', user: 'ann', weighs: true, fix: null },
  ...{ to: ['192.0.2.1:53'], count: 7, rejected: 2, since: 0, newest: 0 },
  ...{ text: 'camera sent 7 queries past Sotto.', remedy: 'change it' },
  says: { text: [], remedy: [] },
};

test('coverage prints what the service counted, as a table and as JSON', async () => {
  const map = { at: 0, countsSince: 0, uncounted: null, rows: [camera], limits: [] };
  const home = await serve({ 'coverage.map': () => succeed(map) });
  const { code, out } = await runCommand(home, 'coverage');
  expect(code).toBe(0);
  expect(out).toContain('camera sent 7 queries past Sotto.\n  → change it\n');
  // What the browsers of whoever runs this say of themselves stands behind it.
  expect(JSON.parse((await runCommand(home, 'coverage', '--json')).out).rows[0]).toEqual(camera);
});

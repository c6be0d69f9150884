import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { whyNoFreezer } from './freezer.ts';
import { slowed } from './slowed.ts';

const run = async (script: string) => await slowed(['sh', '-c', script], tmpdir(), () => 0);

it('a slowed command goes on after each stop, and what it leaves behind is ended and counted', async (context) => {
  const missing = whyNoFreezer();
  if (missing !== null) context.skip(missing);
  const { passed, stops, left } = await run('setsid sleep 1000 & exec timeout 2 tail -f /dev/null');
  expect(stops).toBeGreaterThan(0);
  expect([passed, left]).toEqual([false, 1]);
  expect(await run('exit 0')).toMatchObject({ passed: true, left: 0 });
});

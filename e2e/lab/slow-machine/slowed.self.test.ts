import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { labForTest } from '../../rig/lab.ts';
import { whyNoFreezer } from './freezer.ts';
import { slowed } from './slowed.ts';

it('a slowed command goes on after each stop, and what it leaves behind is ended and counted', async (context) => {
  const missing = whyNoFreezer();
  if (missing !== null) context.skip(missing);
  const { directory } = await labForTest();
  let asked = 0;
  // asked before each stop and during it; the third time it went on
  const chance = () => {
    asked += 1;
    if (asked === 3) writeFileSync(join(directory, 'was-stopped'), '');
    return 0;
  };
  const script = 'setsid sleep 1000 & until test -e was-stopped; do sleep 0.1; done; exit 3';
  const { passed, stops, left } = await slowed(['sh', '-c', script], directory, chance);
  expect(stops).toBeGreaterThan(0);
  expect([passed, left]).toEqual([false, 1]);
  const command = ['sh', '-c', 'exit 0'];
  expect(await slowed(command, directory, () => 0)).toMatchObject({ passed: true, left: 0 });
});

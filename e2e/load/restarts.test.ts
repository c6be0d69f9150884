/** The short form of `npm run lab:restarts`. */
import { expect, it } from 'vitest';
import { labForTest } from '../rig/lab.ts';
import { expectNoneFailed } from './expect-none-failed.ts';
import { observe } from './restarts.ts';
import { describeLoad } from './scenario.ts';

describeLoad('an upstream that restarts under load', () => {
  it('delays queries and loses none', async () => {
    const setting = { seconds: 8, rate: 500, restarts: 1, timeoutSeconds: 60 };
    const { load, awayMs } = await observe(await labForTest(), setting);
    expect(load).toMatchObject({ lost: 0, late: 0, unexplained: 0 });
    expectNoneFailed(load, awayMs);
  });
}, ['unbound']);

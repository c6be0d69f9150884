/** The short form of `npm run lab:restarts`. */
import { expect, it } from 'vitest';
import { labForTest } from '../rig/lab.ts';
import { observe, problems } from './restarts.ts';
import { describeLoad } from './scenario.ts';

describeLoad('an upstream that restarts under load', () => {
  it('delays queries and loses none', async () => {
    const observed = await observe(await labForTest(), { seconds: 8, rate: 500, restarts: 1 });
    expect(problems(observed), JSON.stringify(observed)).toEqual([]);
    expect(observed.load.rcodes).toEqual({ NOERROR: observed.load.sent });
  });
}, ['unbound']);

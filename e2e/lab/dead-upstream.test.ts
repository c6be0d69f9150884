/** The short form of `npm run lab:dead`, which judges no time. */
import { expect, it } from 'vitest';
import { describeInLab } from '../rig/available.ts';
import { observe, problems } from './dead-upstream.ts';

describeInLab(['sotto', 'sotto-server'], 'an upstream that dies silently', () => {
  it('loses no query, and a slow upstream keeps its names', async () => {
    const observed = await observe(40);
    expect(problems(observed, false), JSON.stringify(observed)).toEqual([]);
    expect(observed.death.asked).toBeGreaterThan(0);
    expect(observed.slow.asked).toBeGreaterThan(0);
  });
});

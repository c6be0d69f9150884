/** The short form of what `npm run lab:networks` measures. */
import { expect, it } from 'vitest';
import { describeInLab } from '../lab/available.ts';
import { interrupt, interruptions } from './interruption.ts';

describeInLab(['sotto', 'sotto-server'], 'a thousand questions on their way', () => {
  it.for(interruptions)('are all answered when the machine was %s for a second', async (by) => {
    expect(await interrupt(by, 40)).toMatchObject({ inFlight: 1000, lost: 0 });
  });

  it.for(['unplugged', 'down', 'cut', 'unrouted'] as const)(
    'are all answered when the machine was %s for a second, over IPv6',
    async (by) => {
      expect(await interrupt(by, 40, 6)).toMatchObject({ inFlight: 1000, meanwhile: 100, lost: 0 });
    },
  );
});

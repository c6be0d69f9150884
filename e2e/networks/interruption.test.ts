/** The short form of what `npm run lab:networks` measures. */
import { expect, it } from 'vitest';
import { describeInLab } from '../lab/available.ts';
import { interrupt } from './interruption.ts';

describeInLab(['sotto', 'sotto-server'], 'a thousand questions on their way', () => {
  it.for(['unplugged', 'asleep'] as const)(
    'are all answered when the machine was %s for a second',
    async (by) => {
      expect(await interrupt(by, 40)).toMatchObject({ inFlight: 1000, lost: 0 });
    },
  );
});

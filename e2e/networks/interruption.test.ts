/** The short form of what `npm run lab:networks` measures. */
import { expect, it, type TestContext } from 'vitest';
import { describeInLab } from '../rig/available.ts';
import {
  type Family,
  type Interrupted,
  type Interruption,
  interrupt,
  interruptions,
  wasOnTime,
} from './interruption.ts';

const overIPv6 = ['unplugged', 'down', 'cut', 'unrouted'] as const;
const attempts = 3;
const patienceMs = 240_000;

describeInLab(['sotto', 'sotto-server'], 'a thousand queries on their way', () => {
  it.for(interruptions)(
    'all have responses when the machine was %s for a second',
    { timeout: patienceMs },
    async (by, context) => {
      expect(await onTime(context, by, 4)).toMatchObject({ inFlight: 1000, lost: 0 });
    },
  );

  it.for(overIPv6)(
    'all have responses when the machine was %s for a second, over IPv6',
    { timeout: patienceMs },
    async (by, context) => {
      const outcome = await onTime(context, by, 6);
      expect(outcome).toMatchObject({ inFlight: 1000, meanwhile: 100, lost: 0 });
    },
  );
});

async function onTime(
  { skip }: TestContext,
  by: Interruption,
  family: Family,
): Promise<Interrupted> {
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const outcome = await interrupt(by, 40, family);
    // fewer were on their way where responses came before the network was gone
    const { inFlight, lost } = outcome;
    if (wasOnTime(outcome) && (inFlight === 1000 || lost > 0)) return outcome;
  }
  return skip('the machine is too busy: it brought no network back in time');
}

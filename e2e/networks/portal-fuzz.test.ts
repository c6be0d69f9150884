/** A sample of `npm run lab:portal-fuzz`, the same each time. */
import { expect, test } from 'vitest';
import { asItMustBe, lookAfterwards } from './portal-fuzz/afterwards.ts';
import { runCampaign, whatIsWrong } from './portal-fuzz/campaign.ts';
import { parties } from './portal-fuzz/exchange.ts';

test('after hostile peers no exception has escaped, nothing hangs or is left over, and a real portal is noticed', async () => {
  const campaign = await runCampaign({ seed: 20_261_122, exchanges: 500, lanes: 16 });
  expect(whatIsWrong(campaign)).toBeNull();
  expect(Object.keys(campaign.outcomes).toSorted()).toEqual(parties.toSorted());
  expect(await lookAfterwards()).toEqual(asItMustBe);
});

/** Some of the deaths of `npm run lab:give-back`; docs/measurements/give-back.md has them all. */
import { expect, it } from 'vitest';
import { attempt, limitMs } from '../lab/give-back/attempt.ts';
import { plan } from '../lab/give-back/plan.ts';
import { Stage } from '../lab/give-back/stage.ts';
import { describeInNetworks } from '../rig/available.ts';
import { labForTest } from '../rig/lab.ts';

const trials = 14;

describeInNetworks(['sotto', 'systemd-resolved', 'busctl', 'dig'], 'killed at any moment', () => {
  it('the system’s DNS ends as it should', async () => {
    const stage = await Stage.open(await labForTest(), 'resolved');
    const attempts = [];
    for (const trial of plan(trials, Math.random)) attempts.push(await attempt(stage, trial));
    const longest = Math.max(...attempts.map(({ tookMs }) => tookMs ?? Number.POSITIVE_INFINITY));
    console.log(
      `figure: ${trials} deaths, the longest way back ${longest} ms (wanted: ${limitMs})`,
    );
    expect(attempts.filter(({ wrong }) => wrong !== null)).toEqual([]);
    expect(attempts).toHaveLength(trials);
  }, 600_000);
});

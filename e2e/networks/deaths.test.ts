/** Some of the deaths of `npm run lab:deaths`; docs/measurements/deaths.md has them all. */
import { expect, it } from 'vitest';
import { missingLanes } from '../lab/deaths/kept-lanes.ts';
import { runLane } from '../lab/deaths/lane.ts';
import { type Death, deaths, plan } from '../lab/deaths/plan.ts';
import { describeInNetworks } from '../rig/available.ts';
import { mechanisms } from './computer.ts';

const sampled = ['exception', 'SIGTERM', 'SIGUSR1', 'panic', 'worker throws'];
const isSampled = ({ victim, how }: Death) => sampled.includes(how) && victim !== 'reader';

describeInNetworks(['sotto'], 'deaths of every kind', () => {
  it('under refuse no name leaves in cleartext, and what died is started again', async () => {
    const trials = deaths.filter(isSampled).map((death) => ({ death, policy: 'refuse' as const }));
    const lane = await runLane(
      'file',
      trials,
      { command: 'npm test', commit: 'of the tests' },
      () => false,
      () => {},
    );
    expect(lane.broken).toBeNull();
    expect(lane.attempts.filter(({ wrong }) => wrong !== null)).toEqual([]);
    expect(lane.attempts).toHaveLength(trials.length);
    expect([lane.packets, lane.counted, lane.uncounted]).toEqual([0, 0, 0]);
    const asked = lane.attempts.reduce((sum, one) => sum + one.asked[1] - one.asked[0], 0);
    console.log(
      `figure: ${trials.length} deaths, ${asked} names queried meanwhile, 0 in cleartext`,
    );
  }, 600_000);
});

it('a table is not written where some of its lanes were neither run now nor kept', () => {
  const others = mechanisms.filter((name) => name !== 'file').map((mechanism) => ({ mechanism }));
  expect(missingLanes(mechanisms, null)).toBeNull();
  expect(missingLanes(['file'], others)).toBeNull();
  expect(missingLanes(['file'], null)).toBe('resolved, resolvconf, network-manager');
  expect(missingLanes(['file'], others.slice(1))).toBe('resolved');
});

it('a plan that is long enough has every death under each policy', () => {
  const trials = plan(5 * deaths.length);
  expect(
    new Set(trials.map(({ death, policy }) => `${death.victim} ${death.how} ${policy}`)).size,
  ).toBe(3 * deaths.length);
});

import { expect, test } from 'vitest';
import { costs, outcomes } from '../../contract/engine-words.ts';
import { percentile } from '../../contract/status/latency-histogram.ts';
import { queryTally } from '../../contract/status/service-stats.ts';
import { record } from './event-record-fixture.ts';
import { QueryTally } from './query-tally.ts';

const byWords = (outcome: (typeof outcomes)[number], cost: (typeof costs)[number], total: number) =>
  record({ outcome: outcomes.indexOf(outcome), cost: costs.indexOf(cost), total });

test('figures, which everybody may see, say nothing of whose session it was', () => {
  const tally = new QueryTally(0);
  tally.add(record({ program: 'session', unit: 'session-3.scope', user: 'ann', executable: '' }));
  expect(tally.snapshot().programs).toEqual([{ program: 'session', queries: 1 }]);
});

test('programs are counted by name, the most first, and of too many the least is forgotten', () => {
  const tally = new QueryTally(5);
  const of = (program: string, executable = '') => tally.add(record({ program, executable }));
  of('firefox');
  of('session', '/usr/bin/curl');
  of('session', '/usr/bin/curl');
  of('');
  expect(tally.snapshot().programs).toEqual([
    { program: 'curl', queries: 2 },
    { program: 'firefox', queries: 1 },
  ]);
  for (let number = 0; number < 10_000; number++) of(`made-up-${number}`);
  of('curl');
  const { programs } = queryTally.parse(tally.snapshot());
  expect(programs).toHaveLength(20);
  expect(programs[0]).toEqual({ program: 'curl', queries: 3 });
  tally.forgetPrograms();
  expect(tally.snapshot().programs).toEqual([]);
});

test('costs and times are of forwarded queries only, all are counted', () => {
  const tally = new QueryTally(5);
  for (const total of [10_000, 11_000, 12_000]) tally.add(byWords('forwarded', 'reused', total));
  tally.add(byWords('forwarded', 'cold', 90_000));
  tally.add(byWords('cached', 'none', 40));
  tally.add(byWords('refused', 'none', 4_294_967_295));
  const { since, queries, costs: counted, forwarded } = queryTally.parse(tally.snapshot());
  expect([since, queries, counted]).toEqual([5, 6, { reused: 3, resumed: 0, cold: 1, queued: 0 }]);
  expect(forwarded.map(([, count]) => count)).toEqual([1, 1, 1, 1]);
  expect(percentile(forwarded, 0.5)).toBeCloseTo(11, 0);
  expect(percentile(forwarded, 0.99)).toBeGreaterThanOrEqual(90);
});

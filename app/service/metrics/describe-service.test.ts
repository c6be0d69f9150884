import { expect, test } from 'vitest';
import { bucketOf, longestIn } from '../../contract/status/latency-histogram.ts';
import { record } from '../query-log/event-record-fixture.ts';
import { QueryTally } from '../query-log/query-tally.ts';
import { ServiceStage } from '../service-stage.ts';
import { type CleartextCount, countCleartext } from './cleartext-count.ts';
import { type Described, describeService } from './describe-service.ts';
import { countOf, type Metric } from './metric.ts';

async function described(changes: Partial<Described> = {}): Promise<Metric[]> {
  await using stage = new DisposableStage();
  stage.folder.write('settings.json', {
    upstreams: [{ id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.test' }],
  });
  const running = await stage.start();
  return describeService({
    status: running.status(),
    memory: 1,
    strays: 2,
    tally: null,
    profile: null,
    auditHead: { records: 0, hash: '0'.repeat(64) },
    cleartext: new Map(),
    dnstap: { sent: 0, dropped: 0 },
    ...changes,
  });
}

class DisposableStage extends ServiceStage {
  [Symbol.asyncDispose]() {
    return this.close();
  }
}

const named = (metrics: readonly Metric[], name: string) => {
  const found = metrics.find((metric) => metric.name === name);
  if (found === undefined) throw new Error(`${name} is missing`);
  return found;
};

test('each name is there once, and keeps to the rules of OpenMetrics', async () => {
  const metrics = await described();
  const names = metrics.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, unit, help } of metrics) {
    expect(name).toMatch(/^sotto(?:_[a-z]+)+$/);
    expect(name).not.toMatch(/_(?:total|info|bucket|count|sum|seconds|bytes)$/);
    expect(help).toMatch(/^[A-Z1"'].*\.$/);
    expect([undefined, 'seconds', 'bytes']).toContain(unit);
  }
});

test('what is chosen from words has all of them, so that no series vanishes', async () => {
  const metrics = await described();
  for (const name of ['sotto_verdict', 'sotto_protection_state', 'sotto_downgrade_policy']) {
    const metric = named(metrics, name);
    const values = metric.type === 'gauge' ? metric.samples.map(({ value }) => value) : [];
    expect(values.length).toBeGreaterThan(2);
    expect(
      values.reduce((sum, value) => sum + value, 0),
      name,
    ).toBe(1);
  }
});

test('times are counted in doublings that hold what lies below them, exactly', async () => {
  const tally = new QueryTally(0);
  const times = [1, 511, 512, 513, 1_023, 1_024, 9_000, 2 ** 23, 2 ** 31];
  for (const total of times) tally.add(record({ outcome: 0, total }));
  const metric = named(await described({ tally: tally.snapshot() }), 'sotto_query_duration');
  if (metric.type !== 'histogram') throw new Error(metric.type);
  const { bounds, counts, sum } = metric.distribution;
  expect(countOf(metric.distribution)).toBe(times.length);
  expect(sum).toBeCloseTo(times.reduce((all, one) => all + one, 0) / 1e6);
  for (const [index, bound] of bounds.entries()) {
    const within = counts.slice(0, index + 1).reduce((all, count) => all + count, 0);
    expect(within, `${bound} s`).toBe(times.filter((time) => time < bound * 1e6).length);
  }
  expect(longestIn(bucketOf(511))).toBe(511);
});

test('the last query is one of a program, not of Sotto itself', async () => {
  const tally = new QueryTally(0);
  tally.add(record({ clientProtocol: 2, at: 9_000_000 }));
  expect(tally.snapshot().lastAt).toBeNull();
  tally.add(record({ clientProtocol: 0, at: 5_000_000 }));
  tally.add(record({ clientProtocol: 1, at: 4_000_000 }));
  expect(tally.snapshot().lastAt).toBe(5_000);
});

test('the ledger is counted by class from the start on, and counts never fall', () => {
  let tell = (_entry: never) => {};
  const entry = (id: number, kind: string, count: number | null, closed: string | null = null) =>
    ({ id, class: kind, count, closed }) as never;
  const counts = countCleartext({
    standing: () => [entry(1, 'bypass', 10)],
    follow(listener) {
      tell = listener;
      return () => {};
    },
  });
  for (const [id, kind, count] of [
    [1, 'bypass', 12],
    [2, 'policy', 0],
    [2, 'policy', 5],
    [2, 'policy', 5],
    [3, 'service-down', null],
    [1, 'bypass', 11],
    [1, 'bypass', 13],
  ] as const)
    tell(entry(id, kind, count));
  tell(entry(2, 'policy', 6, 'private again'));
  expect(counts()).toEqual(
    new Map<string, CleartextCount>([
      ['bypass', { opened: 0, packets: 3 }],
      ['policy', { opened: 1, packets: 6 }],
      ['service-down', { opened: 1, packets: 0 }],
    ]),
  );
});

/** Queries, what is kept of them and the counts, through the whole service. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CacheEntry } from '../../contract/status/cache-entry.ts';
import { bucketOf, longestIn } from '../../contract/status/latency-histogram.ts';
import { encodeBatch, record } from '../query-log/event-record-fixture.ts';
import { dot, ServiceStage } from '../service-stage.ts';

let stage: ServiceStage;

beforeEach(() => {
  stage = new ServiceStage();
});
afterEach(() => stage.close());

test('a query is asked, stored and followed, and its name stays out of the application log', async () => {
  await stage.start();
  const service = await stage.client();
  stage.addon.event = encodeBatch([record({ name: 'secret.example' })]);
  const followed = new Promise((resolve) => service.on('log.events', resolve));
  expect(await service.call('log.follow', { name: '*.EXAMPLE' })).toEqual({
    ok: true,
    value: { subscription: 1 },
  });

  expect(await service.call('query.ask', { name: 'secret.example', type: 'A' })).toMatchObject({
    value: {
      event: { name: 'secret.example', outcome: 'forwarded' },
      response: { rcode: 'NOERROR' },
    },
  });
  expect(await service.call('query.ask', { name: 'secret..example', type: 'A' })).toMatchObject({
    failure: { code: 'bad-query' },
  });
  stage.addon.deliver(
    encodeBatch([record({ name: 'other.test' }), record({ name: 'secret.example' })]),
  );
  expect(await followed).toMatchObject({ events: [{ name: 'secret.example' }] });
  await expect
    .poll(() => service.call('log.query', { name: 'secret*', limit: 10 }), { timeout: 60_000 })
    .toMatchObject({ value: { events: [{ name: 'secret.example' }] } });
  expect(await service.call('log.clear', {})).toMatchObject({ ok: true });
  expect(await service.call('log.query', { limit: 10 })).toEqual({
    ok: true,
    value: { events: [] },
  });

  await stage.stop();
  expect(stage.lines.length).toBeGreaterThan(1);
  expect(stage.lines.join('')).not.toMatch(/secret/);
});

const kept = (name: string, type = 'A'): CacheEntry => ({
  name,
  type,
  class: 'IN',
  rcode: 'NOERROR',
  answers: 1,
  ttlLeft: 60,
  stale: false,
  dnssecOk: false,
  checkingDisabled: false,
  upstream: 'a',
  authenticated: true,
  octets: 90,
  negative: false,
});

test('the cache is shown and flushed by name, by suffix, and whole', async () => {
  await stage.start();
  const service = await stage.client();
  stage.addon.cached = [
    kept('a.example'),
    kept('a.example', 'AAAA'),
    kept('www.b.test'),
    kept('b.test'),
    kept('c.test'),
  ];
  expect(await service.call('cache.stats', {})).toMatchObject({
    value: { entries: 5, octets: 450, capacity: 38_400_000 },
  });
  expect(await service.call('cache.show', { name: 'a.example', type: 'aaaa' })).toEqual({
    ok: true,
    value: { entries: [kept('a.example', 'AAAA')] },
  });
  expect(await service.call('cache.show', { name: 'a..example' })).toMatchObject({
    failure: { code: 'bad-query' },
  });
  expect(await service.call('cache.flush', { name: 'a.example', suffix: 'test' })).toMatchObject({
    failure: { code: 'params-invalid' },
  });
  const removed = (value: number) => ({ ok: true, value: { removed: value } });
  expect(await service.call('cache.flush', { name: 'a.example' })).toEqual(removed(2));
  expect(await service.call('cache.flush', { suffix: 'b.test' })).toEqual(removed(2));
  expect(await service.call('cache.flush', {})).toEqual(removed(1));
});

test('figures count what the log sees, even where it keeps little', async () => {
  stage.folder.write('settings.json', { upstreams: [dot], queryLog: { mode: 'counts' } });
  await stage.start();
  const service = await stage.client();
  const changed = new Promise((resolve) => service.on('stats.changed', resolve));
  stage.addon.deliver(
    encodeBatch([record({ cost: 2, total: 9_000 }), record({ outcome: 1, cost: 0 })]),
  );
  await expect
    .poll(() => service.call('stats.get', {}))
    .toMatchObject({
      value: {
        upstreams: [{ id: 'a' }],
        tally: {
          queries: 2,
          costs: { reused: 0, resumed: 1 },
          forwarded: [[longestIn(bucketOf(9_000)), 1]],
        },
      },
    });
  const now = await service.call('stats.follow', {});
  expect(now.ok && now.value.memory).toBeGreaterThan(1_000_000);
  expect(await changed).toMatchObject({ tally: { queries: 2 } });
});

test('a pattern with too many stars is refused, live as in the past', async () => {
  await stage.start();
  const service = await stage.client();
  const name = '*a'.repeat(9);
  const refused = { failure: { code: 'params-invalid', subject: 'name' } };
  expect(await service.call('log.follow', { name })).toMatchObject(refused);
  expect(await service.call('log.query', { name, limit: 1 })).toMatchObject(refused);
  expect(await service.call('log.follow', { name: '**a'.repeat(8) })).toMatchObject({ ok: true });
});

test('a query log begun afresh is told as that, not as one that stopped', async () => {
  stage.folder.write('query-log.sqlite', 'no database');
  await stage.start();
  expect(await (await stage.client()).call('status.get', {})).toMatchObject({
    value: { log: { state: 'writing' }, health: [{ code: 'log-begun-afresh', severity: 'info' }] },
  });
});

test('an upstream that does not exist is named', async () => {
  await stage.start();
  expect(await (await stage.client()).call('upstream.test', { id: 'nope' })).toMatchObject({
    failure: { code: 'unknown-upstream', subject: 'nope' },
  });
});

test('forgetting empties the tickets of one upstream, or of all', async () => {
  stage.folder.write('settings.json', { upstreams: [dot] });
  await stage.start();
  const service = await stage.client();
  stage.addon.tickets.set('a', 3).set('b', 4);
  expect(await service.call('upstream.forget', { id: 'nope' })).toMatchObject({
    failure: { code: 'unknown-upstream', subject: 'nope' },
  });
  expect([...stage.addon.tickets.keys()]).toEqual(['a', 'b']);
  expect(await service.call('upstream.forget', { id: 'a' })).toMatchObject({
    value: { tickets: 3, evidence: true },
  });
  expect(await service.call('upstream.forget', {})).toMatchObject({ value: { tickets: 4 } });
  expect(stage.addon.tickets.size).toBe(0);
  expect(stage.addon.evidenceForgotten).toBe(2);
});

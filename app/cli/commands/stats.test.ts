import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import { succeed } from '../../contract/errors.ts';
import type { ServiceHandlers, ServiceSession } from '../../contract/service-api.ts';
import type { ServiceStats } from '../../contract/status/service-stats.ts';
import {
  finished,
  runCommand,
  serve,
  startCommand,
  startFakeService,
} from '../fixtures/fake-service.ts';
import { someStats } from '../fixtures/made-up.ts';

test('stats tells outcomes, shares, percentiles, upstreams, memory', async () => {
  const stats = someStats();
  const home = await serve({ 'stats.get': () => succeed(stats) });
  const { code, out } = await runCommand(home, 'stats');
  expect(code).toBe(0);
  expect(out.split('\n')).toEqual([
    'Queries     101: 41 forwarded, 60 cached',
    'Cache       59.4% of all; 55 responses, 9.9 kB',
    'Cost        90.2% reused, 4.9% resumed, 2.4% cold, 2.4% queued',
    'Latency     p50 12.0 ms, p95 12.0 ms, p99 64.5 ms of 41 forwarded',
    'Programs    firefox 90, curl\\x1b[2J 11',
    'Events      101 delivered, 0 dropped',
    'Strays      3 messages from plain resolvers, which belong to no query',
    'Service     60.0 MB of memory, running for 2 h 5 min',
    '',
    'upstream  answered  failed  handshakes  resumed  latency',
    'quad9           41       1           3        2  11.2 ms',
    '',
  ]);
  const json = JSON.parse((await runCommand(home, 'stats', '--json')).out);
  expect(json).toMatchObject({
    queries: 101,
    outcomes: stats.outcomes,
    costs: { reused: 37, resumed: 2, cold: 1, queued: 1 },
    latency: { count: 41, p50: 12.031, p95: 12.031, p99: 64.511 },
    events: { delivered: 101, dropped: 0 },
    memory: 60_000_000,
  });
});

test('stats of a service that nobody has asked yet', async () => {
  const stats = someStats({
    outcomes: {},
    strays: 0,
    cache: { ...someStats().cache, hits: 0, misses: 0 },
    tally: null,
  });
  const home = await serve({ 'stats.get': () => succeed(stats) });
  const { out } = await runCommand(home, 'stats');
  expect(out).toMatch(/^Queries {5}none yet\nCache {7}– of all/);
  expect(out).not.toContain('Strays');
  expect(out).toMatch(/\nCost {8}not counted now\nLatency {5}nothing forwarded yet\n/);
  expect(JSON.parse((await runCommand(home, 'stats', '--json')).out)).toMatchObject({
    queries: 0,
    costs: null,
    latency: { count: 0, p50: null },
  });
});

function followable() {
  let session: ServiceSession | undefined;
  const handlers: Partial<ServiceHandlers> = {
    'stats.follow': (_params, from) => {
      session = from;
      return succeed(someStats());
    },
  };
  const tell = (stats: ServiceStats) => session?.notify('stats.changed', stats);
  return { handlers, tell, isFollowed: () => session !== undefined };
}

/** A second later: 4 forwarded, one of them slow, and 6 cached. */
function later(): ServiceStats {
  const before = someStats();
  return someStats({
    at: before.at + 1000,
    outcomes: { forwarded: 45, cached: 66 },
    upstreams: before.upstreams.map((upstream) => ({ ...upstream, answered: 45 })),
    events: { delivered: 109, dropped: 2 },
    tally: {
      since: before.tally?.since ?? 0,
      queries: 111,
      costs: { reused: 41, resumed: 2, cold: 1, queued: 1 },
      forwarded: [
        [8191, 3],
        [12_031, 39],
        [31_743, 1],
        [64_511, 2],
      ],
      forwardedMs: 593,
      lastAt: before.at + 900,
      programs: [],
    },
  });
}

test('stats --follow prints what came in each second, and Ctrl-C ends it with 0', async () => {
  const { handlers, tell, isFollowed } = followable();
  const home = await serve(handlers);
  const child = startCommand(home, 'stats', '--follow');
  const ended = finished(child);
  await once(child.stdout, 'data');
  expect(isFollowed()).toBe(true);
  tell(later());
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  const { code, out } = await ended;
  expect(code).toBe(0);
  const [titles, line] = out.split('\n').map((text) => text.trim().split(/ {2,}/));
  expect(titles?.slice(0, 4)).toEqual(['time', 'queries', 'cached', 'forwarded']);
  expect(line).toEqual([
    '14:58:04.412',
    '10',
    '60.0%',
    '4',
    '0',
    '0',
    '8.19 ms',
    '64.5 ms',
    '64.5 ms',
    '2',
    '60.0 MB',
  ]);
});

test('stats --follow --json is a line of JSON each; a writer that was replaced counts from zero', async () => {
  const { handlers, tell, isFollowed } = followable();
  const service = await startFakeService(handlers);
  const child = startCommand(service.home, 'stats', '--follow', '--json');
  const ended = finished(child);
  await vi.waitUntil(isFollowed, { timeout: 60_000, interval: 5 });
  tell(later());
  const replaced = someStats({ at: later().at + 1000 });
  tell({ ...replaced, outcomes: later().outcomes, tally: { ...later().tally, since: 9 } as never });
  let lines = 0;
  child.stdout.on('data', (chunk) => {
    lines += String(chunk).split('\n').length - 1;
  });
  await vi.waitUntil(() => lines === 2, { timeout: 60_000, interval: 5 });
  await service.close();
  const { code, out, errors } = await ended;
  expect(code).toBe(3);
  expect(errors).toMatch(/the service ended/);
  const [first, second] = out
    .trimEnd()
    .split('\n')
    .map((text) => JSON.parse(text));
  expect(first).toMatchObject({
    seconds: 1,
    queries: 10,
    outcomes: { forwarded: 4, cached: 6 },
    costs: { reused: 4, resumed: 0, cold: 0, queued: 0 },
    latency: { count: 4, p50: 8.191 },
    upstreams: [{ id: 'quad9', answered: 4, failed: 0 }],
    events: { delivered: 8, dropped: 2 },
  });
  expect(second).toMatchObject({ queries: 0, outcomes: {}, costs: { reused: 41 } });
});

test('a reader that goes away ends stats --follow quietly', async () => {
  const { handlers, tell } = followable();
  const home = await serve(handlers);
  const child = startCommand(home, 'stats', '--follow');
  const ended = finished(child);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  const writing = setInterval(() => tell(someStats()), 5);
  const { code, errors } = await ended;
  clearInterval(writing);
  expect([code, errors]).toEqual([0, '']);
});

test('stats --last tells each interval in which anything was asked', async () => {
  const since = new Date('2026-11-25T12:00:00').getTime();
  const none = [0, 0, 0];
  const outcomes = { exceptions: none, unencrypted: none, blocked: none, failed: [0, 0, 1] };
  const asked: unknown[] = [];
  const home = await serve({
    'stats.series': (wanted) => {
      asked.push(wanted.until - wanted.since, wanted.points);
      return succeed({
        since,
        step: 1_800_000,
        keptSince: since,
        outcomes: { encrypted: [3, 0, 2], cached: [10, 0, 0], ...outcomes },
        upstreams: [
          {
            id: 'quad9',
            queries: [3, 0, 2],
            failed: [0, 1, 0],
            p50: [11.2, null, 9],
            p95: [20, null, 9],
          },
        ],
      });
    },
  });
  const { code, out } = await runCommand(home, 'stats', '--last', '24h');
  expect(code).toBe(0);
  expect(asked).toEqual([86_400_000, 48]);
  expect(out.split('\n').map((line) => line.trimEnd())).toEqual([
    'from              encrypted  cached  exceptions  unencrypted  blocked  failed    quad9',
    '2026-11-25 12:00          3      10           0            0        0       0  11.2 ms',
    '2026-11-25 13:00          2       0           0            0        0       1  9.00 ms',
    '',
  ]);
  expect(JSON.parse((await runCommand(home, 'stats', '--last', '1h', '--json')).out).since).toBe(
    since,
  );
});

test.each(['soon', '8d', '-1h'])('stats --last %s is refused', async (duration) => {
  const home = await serve({});
  const { code, errors } = await runCommand(home, 'stats', '--last', duration);
  expect(code).toBe(2);
  expect(errors).toContain('write 1h, 24h or 7d');
});

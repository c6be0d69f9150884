/** Three providers and their last day, made up: one that failed for an hour, one that stands by, one that was never asked. */
import { readFileSync } from 'node:fs';
import { someUpstream } from '../../app/cli/fixtures/made-up.ts';
import type { ServiceHandlers, ServiceSession } from '../../app/contract/service-api.ts';
import type { CatalogueEntry } from '../../app/contract/settings/upstream-methods.ts';
import type { Series } from '../../app/contract/status/series.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import { inRoot } from '../../build/places.mjs';

export const threeProviders: Partial<ServiceStatus> = {
  protection: { state: 'private', upstream: 'Quad9', tls: 'TLS 1.3' },
  upstreams: [
    someUpstream({ label: 'Quad9', rttMs: 11.2 }),
    someUpstream({
      id: 'cloudflare',
      label: 'Cloudflare',
      state: 'idle',
      path: 'dot',
      rttMs: 24.1,
      answered: 7,
    }),
    someUpstream({
      id: 'attic',
      state: 'idle',
      transport: 'tdns',
      path: null,
      tls: null,
      cost: null,
      lastError: { code: 'timed-out', text: 'no response' },
      rttMs: null,
      answered: 0,
      failed: 4,
    }),
  ],
};

const { resolvers } = JSON.parse(readFileSync(inRoot('assets/data/resolvers.json'), 'utf8')) as {
  resolvers: Omit<CatalogueEntry, 'upstream'>[];
};
const inUse = threeProviders.upstreams?.map(({ id }) => id) ?? [];

/** An hour after three quarters of the day in which nothing answered at first, and then not everything. */
function failures(points: number): number[] {
  const from = Math.round(points * 0.75);
  return Array.from({ length: points }, (_, at) => (at >= from && at < from + 5 ? 12 : 0));
}

export function quad9Day(points: number): Series['upstreams'][number] {
  const failed = failures(points);
  const down = (at: number) => (failed[at] ?? 0) > 0 && (failed[at - 3] ?? 0) === 0;
  const each = <Value>(of: (at: number) => Value, none: Value) =>
    Array.from({ length: points }, (_, at) => (down(at) ? none : of(at)));
  const median = (at: number) =>
    10.6 + Math.sin(at / 6) + ((at * 37) % 13) / 8 + (at % 29 === 7 ? 9 : 0);
  return {
    id: 'quad9',
    queries: each((at) => 40 + ((at * 53) % 60), 0),
    failed,
    p50: each<number | null>(median, null),
    p95: each<number | null>(
      (at) => median(at) * 1.5 + 2 * Math.sin(at / 4) + ((at * 71) % 7),
      null,
    ),
  };
}

function cloudflareDay(points: number): Series['upstreams'][number] {
  const quad9 = failures(points);
  const stoodIn = (at: number) => (quad9[at] ?? 0) > 0;
  const each = <Value>(of: (at: number) => Value, none: Value) =>
    Array.from({ length: points }, (_, at) => (stoodIn(at) ? of(at) : none));
  return {
    id: 'cloudflare',
    queries: each((at) => 30 + (at % 7), 0),
    failed: each(() => 0, 0),
    p50: each<number | null>((at) => 22 + (at % 5), null),
    p95: each<number | null>((at) => 31 + (at % 4), null),
  };
}

export const providerDay: Partial<ServiceHandlers> = {
  'catalogue.list': () => ({
    ok: true,
    value: {
      resolvers: resolvers.map((one) => ({
        ...one,
        upstream: inUse.includes(one.id) ? one.id : null,
      })),
    },
  }),
  'settings.effective': () => ({
    ok: true,
    value: {
      settings: [
        {
          key: 'upstreams',
          value: inUse.map((id) => ({ id, transport: 'dot', address: '192.0.2.1' })),
          label: '',
          help: '',
          unit: null,
          source: { layer: 'user', file: null },
          locked: false,
          hidden: false,
          lockedBy: null,
          reason: null,
        },
      ],
      revision: '1',
    },
  }),
  'stats.series': ({ since, until, points }) => {
    const none = Array<number>(points).fill(0);
    return {
      ok: true,
      value: {
        since,
        step: (until - since) / points,
        keptSince: since,
        outcomes: {
          ...{ encrypted: none, cached: none, exceptions: none },
          ...{ unencrypted: none, blocked: none, failed: none },
        },
        upstreams: [quad9Day(points), cloudflareDay(points)],
      },
    };
  },
  'upstream.measure': (_params, session) => tellMeasured(session),
};

function tellMeasured(session: ServiceSession) {
  const [work, error] = [1, { code: 'timed-out', text: 'no response' }];
  const items = [
    { upstream: 'cloudflare', responseMs: 24.3, error: null },
    { upstream: 'quad9', responseMs: 11.1, error: null },
    { upstream: 'attic', responseMs: null, error },
  ];
  setImmediate(() =>
    session.notify('upstream.measured', { work, items, done: true, failure: null }),
  );
  return { ok: true as const, value: { work } };
}

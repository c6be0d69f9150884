/** The watch and the logins, with fakes for everything around them. */
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { ProbeReport } from '../../contract/probing/probe-report.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { defaultSettings } from '../../contract/settings/settings.ts';
import { nest } from '../../contract/settings/settings-shape.ts';
import { startEngine } from '../engine/engine-driver.ts';
import { fakeEngine } from '../engine/fake-engine.ts';
import type { GroupPath } from '../protection/group-path.ts';
import type { PortalFacts } from '../protection/portal-facts.ts';
import { entry, here, none, on, reached, rules } from '../protection/protection-fixture.ts';
import type { Switch } from '../protection/switch.ts';
import type { Verdict } from './evidence.ts';
import { createPortal, type PortalParts } from './portal.ts';

const verdict: Verdict = {
  evidence: 'address',
  site: 'portal.example',
  url: 'http://portal.example/login',
};
const place = {
  interface: 'wlan0',
  index: 2,
  gateways: ['10.1.0.1'],
  local: { 4: '10.1.0.7', 6: null },
  resolvers: ['10.1.0.1:53'],
  own: ['10.1.0.7'],
  elsewhere: [],
};
const works: ProbeReport = {
  ok: true,
  error: null,
  transport: 'dot',
  address: '192.0.2.1:853',
  ms: 1,
  roundTrips: 1,
  fastOpen: 'off',
  earlyData: null,
  steps: [],
  tls: null,
  chain: [],
  response: null,
  clearPackets: 0,
};

function scene() {
  const addon = fakeEngine();
  const engine = startEngine(addon, { onEvents: () => {}, onChange: () => {} });
  const world = {
    path: none as GroupPath,
    stay: 1,
    position: on as Switch,
    found: verdict as Verdict | null,
    policy: 'refuse' as 'refuse' | 'warn' | 'fallback',
    detect: true,
    /** the ledger can be written */
    writable: true,
    ownName: null as string | null,
    api: null as string | null,
    works: false,
  };
  const facts: PortalFacts[] = [];
  const ended: string[] = [];
  let entries: LedgerEntry[] = [];
  const looked = vi.fn();
  const reconnected = vi.fn();
  addon.onTest = async () => ({ ...works, ok: world.works });
  const parts: PortalParts = {
    engine,
    protection: {
      view: () => ({
        state: { state: 'portal' },
        groups: [],
        permissions: [],
        requests: [],
        health: new Map(),
        here,
        rules: [rules({ policy: world.policy })],
        path: world.path,
      }),
      position: () => world.position,
      inForce: () => {
        const settings = nest(defaultSettings);
        return {
          settings: {
            ...settings,
            upstreams: [{ id: 'a', transport: 'dot', address: '192.0.2.1' }],
            portal: { ...settings.portal, detect: world.detect },
          },
          sources: {} as never,
          values: {} as never,
          certificates: new Map(),
          notInCleartext: new Set(),
        };
      },
      standing: () => entries,
      reconnect: async () => reconnected(),
      async setPortal(next, why) {
        facts.push(next);
        const { login } = next;
        if (login === null && entries.length > 0) ended.push(why);
        entries =
          login === null || !world.writable ? [] : [entry({ class: 'portal', rule: login.site })];
      },
    },
    stay: () => world.stay,
    place: () => place,
    servers: () => ['192.0.2.53:53'],
    told: async () => ({ manager: { saysPortal: false, apiAddress: null }, api: world.api }),
    ownName: async () => world.ownName,
    flushSystemCaches: vi.fn(),
    now: Date.now,
    onChange: () => {},
    onBug: (error) => {
      throw error;
    },
    look: async (looking) => {
      looked(looking);
      return world.found;
    },
  };
  const portal = createPortal(parts);
  onTestFinished(() => portal.end());
  const last = () => facts.at(-1);
  return { portal, world, facts, last, ended, looked, addon, reconnected, parts };
}

async function found(): Promise<ReturnType<typeof scene>> {
  const at = scene();
  at.portal.observe();
  await vi.advanceTimersByTimeAsync(400);
  expect(at.portal.status()).toMatchObject(verdict);
  return at;
}

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

test('while a private path stands nobody looks, and nothing is asked', async () => {
  const { portal, world, looked, last, addon } = scene();
  world.path = reached;
  for (let second = 0; second < 60; second++) {
    portal.observe();
    await vi.advanceTimersByTimeAsync(1000);
  }
  expect(looked).not.toHaveBeenCalled();
  expect(addon.askedNetwork).toEqual([]);
  expect(last()).toMatchObject({ found: false, asks: null, login: null });
  expect(await portal.check()).toMatchObject({ ok: true, value: { portal: null } });
  expect(looked).not.toHaveBeenCalled();
  expect(await portal.open('me')).toMatchObject({ failure: { code: 'no-portal' } });
});

test('a private path that comes within the grace is not looked behind', async () => {
  const { portal, world, looked } = scene();
  portal.observe();
  await vi.advanceTimersByTimeAsync(399);
  world.path = reached;
  portal.observe();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(looked).not.toHaveBeenCalled();
});

test.each<[string, (world: ReturnType<typeof scene>['world']) => void]>([
  ['off', (world) => (world.position = { protection: 'off', since: 1, who: 'me', until: null })],
  ['offline', (world) => (world.path = { kind: 'offline', upstream: 'A' })],
  ['told not to look', (world) => (world.detect = false)],
])('while %s nobody looks', async (_what, change) => {
  const { portal, world, looked } = scene();
  change(world);
  portal.observe();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(looked).not.toHaveBeenCalled();
});

test('it is looked after 400 ms, then after 2, 4 and 20 seconds', async () => {
  const { portal, world, looked } = scene();
  world.found = null;
  portal.observe();
  const counts: number[] = [];
  for (const pause of [399, 1, 2000, 4000, 20_000, 20_000]) {
    await vi.advanceTimersByTimeAsync(pause);
    counts.push(looked.mock.calls.length);
  }
  expect(counts).toEqual([0, 1, 2, 3, 4, 5]);
});

test('only probes and the API are asked of the network, and only while no private path stands', async () => {
  const at = scene();
  at.world.api = 'https://api.hotel.example/capport';
  at.portal.observe();
  await vi.advanceTimersByTimeAsync(400);
  const asks = at.last()?.asks;
  expect(asks?.resolvers).toEqual(place.resolvers);
  expect(asks?.probes).toContain('api.hotel.example');
  expect(asks?.probes).toContain('nmcheck.gnome.org');
  at.world.path = reached;
  at.world.works = true;
  at.portal.observe();
  await vi.advanceTimersByTimeAsync(0);
  expect(at.last()?.asks).toBeNull();
});

test('what the network says of itself, that there is no portal, spares the look', async () => {
  const { portal, world, looked, last } = scene();
  world.api = 'urn:ietf:params:capport:unrestricted';
  portal.observe();
  await vi.advanceTimersByTimeAsync(400);
  expect(looked).not.toHaveBeenCalled();
  expect(last()).toMatchObject({ found: false, looking: false });
});

test('a login is in force before its port is told, and ends when an upstream has answered', async () => {
  const at = await found();
  const opened = await at.portal.open('ann');
  expect(opened).toMatchObject({ ok: true, value: { url: verdict.url } });
  expect(at.last()).toMatchObject({
    found: true,
    login: { site: '', who: 'ann', network: here.id },
  });
  expect(at.portal.status()?.login).toMatchObject({ by: 'window', who: 'ann', entry: 7 });

  at.world.path = reached;
  at.portal.observe();
  await vi.advanceTimersByTimeAsync(2000);
  expect(at.portal.status()?.login, 'TLS stands, but nobody has answered').not.toBeNull();
  at.world.works = true;
  await vi.advanceTimersByTimeAsync(2000);
  expect(at.portal.status()).toBeNull();
  expect(at.last()).toMatchObject({ found: false, login: null, asks: null });
  expect(at.ended).toEqual(['a private upstream answered']);
  expect(at.addon.captivitiesForgotten).toBe(1);
  expect(at.parts.flushSystemCaches).toHaveBeenCalledOnce();
});

test('a login ends with its time, and its port with it', async () => {
  const at = await found();
  const opened = await at.portal.open('ann');
  const again = await at.portal.open('ann');
  expect(again).toEqual(opened);
  await vi.advanceTimersByTimeAsync(4 * 60_000);
  const later = await at.portal.open('bob');
  if (!opened.ok || !later.ok) throw new Error('it opens');
  expect(later.value.proxy).toEqual(opened.value.proxy);
  expect(later.value.until).toBe(opened.value.until + 4 * 60_000);
  await vi.advanceTimersByTimeAsync(5 * 60_000);
  expect(at.ended).toEqual(['its time ran out']);
  expect(at.portal.status()).toMatchObject({ login: null });
});

test('another network ends everything that was of the one before', async () => {
  const at = await found();
  await at.portal.open('ann');
  await at.portal.skip();
  at.world.stay = 2;
  at.world.found = null;
  at.portal.observe();
  await vi.advanceTimersByTimeAsync(0);
  expect(at.portal.status()).toBeNull();
  expect(at.last()).toMatchObject({ found: false, looking: true, login: null, asks: null });
});

test.each<[string, (at: Awaited<ReturnType<typeof found>>) => unknown]>([
  ['another network', ({ world }) => (world.stay = 2)],
  [
    'off',
    ({ world }) => (world.position = { protection: 'off', since: 1, who: 'me', until: null }),
  ],
  ['an answer in private', ({ world }) => Object.assign(world, { path: reached, works: true })],
  ['a person', ({ portal }) => portal.close()],
  ['a person who sets it aside', ({ portal }) => portal.skip()],
  ['its time', () => vi.advanceTimersByTimeAsync(5 * 60_000)],
])(
  'what programs heard for the one site is forgotten when %s ends it, once nobody can hear more',
  async (_what, end) => {
    const at = await found();
    await at.portal.allowSite('portal.example', 5, 'ann');
    const held: unknown[] = [];
    vi.mocked(at.parts.flushSystemCaches).mockImplementation(() => held.push(at.last()?.login));
    await end(at);
    at.portal.observe();
    await vi.advanceTimersByTimeAsync(2000);
    expect(at.portal.status()?.login ?? null).toBeNull();
    expect(held.length).toBeGreaterThan(0);
    expect(new Set(held)).toEqual(new Set([null]));
  },
);

test('what was learned while captive is forgotten on another network, too', async () => {
  const at = await found();
  at.world.stay = 2;
  at.portal.observe();
  await vi.advanceTimersByTimeAsync(0);
  expect(at.addon.captivitiesForgotten).toBe(1);
});

test('what can’t be written down is not begun', async () => {
  const at = await found();
  at.world.writable = false;
  expect(await at.portal.open('ann')).toMatchObject({ failure: { code: 'state-unwritable' } });
  expect(at.portal.status()?.login).toBeNull();
});

test('set aside, it is policy’s again; looking once more takes that back', async () => {
  const at = await found();
  expect(await at.portal.skip()).toMatchObject({ value: { portal: { skipped: true } } });
  expect(at.last()).toMatchObject({ found: false, looking: false });
  expect(await at.portal.open('ann')).toMatchObject({
    failure: { code: 'no-portal', message: 'the login page was set aside' },
  });
  await at.portal.check();
  expect(at.last()).toMatchObject({ found: true });
});

test('who looks where nothing is looked for is told why', async () => {
  const at = await found();
  at.world.position = { protection: 'off', since: 1, who: 'me', until: null };
  expect(await at.portal.check()).toMatchObject({
    value: { text: 'Nothing was looked for: Sotto is off or paused.' },
  });
});

test('under fallback it opens by itself, once on each stay', async () => {
  const at = await found();
  expect(at.portal.status()?.byItself).toBe(false);
  at.world.policy = 'fallback';
  expect(at.portal.status()?.byItself).toBe(true);
  await at.portal.open('the tray');
  await at.portal.close();
  expect(at.portal.status()?.byItself).toBe(false);
});

test('a browser gets the one site that was shown, and no other', async () => {
  const at = await found();
  for (const site of ['bank.example', 'www.portal.example', 'PORTAL.example'])
    expect(await at.portal.allowSite(site, 5, 'ann')).toMatchObject({
      failure: { code: 'site-refused' },
    });
  at.world.ownName = 'it is in your query log';
  expect(await at.portal.allowSite('portal.example', 5, 'ann')).toMatchObject({
    failure: { code: 'site-refused', message: 'it is in your query log' },
  });
  expect(at.facts.some(({ login }) => login !== null)).toBe(false);
  at.world.ownName = null;
  expect(await at.portal.allowSite('portal.example', 5, 'ann')).toMatchObject({
    value: { url: verdict.url, site: 'portal.example' },
  });
  expect(at.last()?.login).toMatchObject({ site: 'portal.example', who: 'ann' });
});

test('a page at an address needs no permission', async () => {
  const at = scene();
  at.world.found = { evidence: 'address', site: '10.1.0.1', url: 'http://10.1.0.1/login' };
  at.portal.observe();
  await vi.advanceTimersByTimeAsync(400);
  expect(await at.portal.allowSite('10.1.0.1', 5, 'ann')).toMatchObject({ ok: true });
  expect(at.facts.some(({ login }) => login !== null)).toBe(false);
  expect(at.portal.status()?.login).toMatchObject({ by: 'browser', entry: null });
});

test('while somebody logs in nobody looks; when the network lets through unseen, that is noticed', async () => {
  const at = await found();
  await at.portal.open('ann');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(at.looked).toHaveBeenCalledTimes(1);
  await at.portal.close();
  at.world.found = null;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(at.portal.status()).toBeNull();
  at.world.works = true;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(at.reconnected).toHaveBeenCalled();
});

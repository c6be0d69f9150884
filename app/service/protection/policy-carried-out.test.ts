/** The policy as the engine, the ledger and a person meet it: what is asked, permitted, and taken back. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProbeReport } from '../../contract/probe-report.ts';
import type { EngineConfig } from '../engine/compile-config.ts';
import { startEngine } from '../engine/engine-driver.ts';
import { type FakeEngine, fakeEngine } from '../engine/fake-engine.ts';
import { createHealthRegistry, type HealthRegistry } from '../health/health-registry.ts';
import { type CurrentNetwork, followNetwork } from '../network/current-network.ts';
import {
  createFakeNetworkWatch,
  type FakeNetworkWatch,
  someSnapshot,
} from '../network/fake-network-watch.ts';
import { type NetworkMemory, openNetworkMemory } from '../network/network-memory.ts';
import { emptySnapshot } from '../network/network-snapshot.ts';
import { createRulesNow } from '../rules/rules-now.ts';
import { type TestFolder, testFolder } from '../settings/test-folder.ts';
import { askDeadlineMs } from './asks.ts';
import { fromUser, someEffective } from './effective-fixture.ts';
import { fallbackLeaseMs } from './group-transition.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { type Protection, startProtection } from './protection.ts';

let folder: TestFolder;
let addon: FakeEngine;
let ledger: Ledger;
let memory: NetworkMemory;
let watch: FakeNetworkWatch;
let network: CurrentNetwork;
let health: HealthRegistry;
let told: string[];
let now: number;
let paused: Promise<void>;

beforeEach(() => {
  folder = testFolder();
  told = [];
  health = createHealthRegistry(
    () => now,
    () => {},
  );
  now = 1_000_000;
  paused = new Promise(() => {});
  memory = openNetworkMemory(join(folder.path, 'networks.sqlite'), () => now);
  watch = createFakeNetworkWatch(someSnapshot());
  network = followNetwork(watch, memory);
  ledger = openLedger(join(folder.path, 'ledger.sqlite'), () => now);
  addon = fakeEngine();
});
afterEach(() => {
  ledger.release();
  memory.close();
  folder.remove();
});

const dot = { id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.test' } as const;
const corpDot = { ...dot, id: 'c', group: 'corp' } as const;
const error = { code: 'timeout', text: 'timed out' };
const tls = { version: '1.3', cipher: '', group: '', resumed: false, name: null, pinned: false };
const failing = { state: 'resting', lastError: error } as const;
const ready = { state: 'ready', tls } as const;
const ann = { who: 'ann', role: 'control' } as const;
const someProbe = (changes: Partial<ProbeReport> = {}): ProbeReport => ({
  ok: true,
  error: null,
  transport: 'dot',
  address: '192.0.2.1:853',
  ms: 30,
  roundTrips: 3,
  fastOpen: 'off',
  earlyData: null,
  steps: [],
  tls,
  chain: [],
  reply: null,
  ...changes,
});
const elsewhere = someSnapshot({ gatewayMac: '02:00:5e:00:00:02' });

async function start(values: Parameters<typeof someEffective>[0]): Promise<Protection> {
  const started = await startProtection(
    {
      engine: startEngine(addon, { onEvents: () => {}, onChange: () => {} }),
      ledger,
      health,
      switchFile: join(folder.path, 'switch.json'),
      serversFor: () => ['192.0.2.53:53'],
      rulesFor: createRulesNow({ network, memory, serversFor: () => ['192.0.2.53:53'] }).under,
      onBattery: () => false,
      network,
      labelOf: (id) => id.toUpperCase(),
      tellGuardian: ({ policy, locked }) => told.push(`${policy} ${locked}`),
      now: () => now,
      pause: () => paused,
      onChange: () => {},
    },
    someEffective({ upstreams: [dot], ...values }),
  );
  if (!started.ok) throw new Error(started.failure.message);
  return started.value;
}

const lastLeases = () => addon.applied.at(-1)?.leases;
const entries = () => ledger.list({ limit: 99 });
const engineNow = () => startEngineStatus();
function startEngineStatus() {
  return startEngine(addon, { onEvents: () => {}, onChange: () => {} }).status();
}
const stateOf = (protection: Protection) => protection.view(engineNow()).state;
const openAsk = (protection: Protection) => {
  const ask = protection.asks().find(({ state }) => state === 'open');
  if (ask === undefined) throw new Error('nobody is asked');
  return ask;
};

describe('fallback', () => {
  test('questions wait: the entry is on disk when the engine gets its lease', async () => {
    const protection = await start({ downgrade: 'fallback' });
    expect(addon.applied.at(-1)).toMatchObject({
      leases: [],
      groups: [{ id: '', rungs: ['tcp', 'udp'], hold: true }],
    });
    const seen: unknown[] = [];
    addon.onApply = ({ leases }: EngineConfig) =>
      seen.push([leases.map(({ entry }) => entry), ledger.standing().map(({ id }) => id)]);
    addon.upstreams.set('a', failing);
    addon.holding = 2;
    await protection.settle();
    expect(seen).toEqual([[[1], [1]]]);
    expect(lastLeases()).toEqual([
      { entry: 1, class: 'policy', rule: null, until: now + fallbackLeaseMs },
    ]);
    expect(stateOf(protection)).toMatchObject({ state: 'exposed', since: now, until: null });
    expect(entries()).toMatchObject([
      {
        class: 'policy',
        who: 'your settings',
        reason: 'no private path (A: timed out); rungs allowed: tcp, udp',
        networkLabel: '192.0.2.0/24 via 192.0.2.1 on eth0',
      },
    ]);
  });

  test('the lease is renewed, first on disk, while it is needed', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'fallback' });
    now += fallbackLeaseMs / 2 - 1;
    await protection.tick();
    expect(lastLeases()).toMatchObject([{ entry: 1, until: 1_000_000 + fallbackLeaseMs }]);
    now += 1;
    let onDisk: unknown;
    addon.onApply = () => {
      onDisk = ledger.standing()[0]?.until;
    };
    await protection.tick();
    expect(onDisk).toBe(now + fallbackLeaseMs);
    expect(lastLeases()).toMatchObject([{ entry: 1, until: now + fallbackLeaseMs }]);
  });

  test('a private path returns: private at once, the entry closed with its last count', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'fallback' });
    addon.sent.set(1, 4);
    addon.upstreams.set('a', ready);
    await protection.settle();
    expect(stateOf(protection)).toMatchObject({ state: 'private' });
    expect(lastLeases()).toEqual([]);
    expect(entries()).toMatchObject([
      { count: 4, closed: 'a private path works again', until: now },
    ]);
  });

  test('a control plane that hung: what ran out meanwhile is closed as it was, the next entry is another', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'fallback' });
    now += fallbackLeaseMs;
    await protection.tick();
    expect(entries()).toMatchObject([
      { id: 2, closed: null, since: now },
      { id: 1, closed: 'its time ran out' },
    ]);
  });

  test('what the engine’s own clock ended is over, though the time of day was set back', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'fallback' });
    now -= 3_600_000;
    addon.ended.add(1);
    await protection.tick();
    expect(entries()).toMatchObject([
      { id: 2, closed: null },
      { id: 1, closed: 'its time ran out' },
    ]);
  });

  test('another network: the entry ends there, and begins anew here only if it must', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'fallback' });
    const before = addon.applied.at(-1)?.network;
    watch.change(elsewhere);
    await protection.settle();
    expect(entries()).toMatchObject([{ id: 1, closed: 'the network changed' }]);
    expect(addon.applied.at(-1)?.network).not.toBe(before);
    expect(stateOf(protection)).toEqual({ state: 'starting', upstream: 'A' });
    addon.upstreams.set('a', { ...failing, dials: 1 });
    await protection.settle();
    expect(entries()[0]).toMatchObject({ id: 2, network: network.stay().partition, closed: null });
  });

  test('a dial that went on while the engine moved says nothing about the new network', async () => {
    addon.upstreams.set('a', { ...failing, dials: 3 });
    const protection = await start({ downgrade: 'fallback' });
    watch.change(elsewhere);
    addon.onApply = () =>
      void addon.upstreams.set('a', { state: 'dialing', lastError: error, dials: 5 });
    await protection.settle();
    expect(stateOf(protection)).toEqual({ state: 'starting', upstream: 'A' });
    expect(entries()).toHaveLength(1);
    addon.onApply = () => {};
    addon.upstreams.set('a', { ...failing, dials: 5 });
    await protection.settle();
    expect(stateOf(protection)).toMatchObject({ state: 'exposed' });
  });

  test('two groups under two policies', async () => {
    addon.upstreams.set('a', failing);
    addon.upstreams.set('c', failing);
    const protection = await start({
      upstreams: [dot, corpDot],
      groups: { corp: { names: ['corp.example'], downgrade: 'fallback', rungs: ['tcp'] } },
    });
    expect(addon.applied.at(-1)).toMatchObject({
      groups: [
        { id: '', rungs: [], hold: false },
        { id: 'corp', names: ['corp.example'], rungs: ['tcp'], hold: true },
      ],
      leases: [{ entry: 1, class: 'policy', group: 'corp' }],
    });
    expect(protection.view(engineNow()).groups).toMatchObject([
      { id: '', state: { state: 'refusing' } },
      { id: 'corp', state: { state: 'exposed' } },
    ]);
  });

  test('stopped by a person: off ends it, on evaluates afresh', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'fallback' });
    await protection.turn({ protection: 'off', since: now, who: 'me', until: null });
    expect(entries()).toMatchObject([
      { class: 'off', closed: null },
      { class: 'policy', closed: 'switched off by me' },
    ]);
    await protection.turn({ protection: 'on', since: now, who: 'me' });
    expect(lastLeases()).toMatchObject([{ entry: 3, class: 'policy' }]);
  });

  test('a full disk: nothing leaves', async () => {
    addon.upstreams.set('a', failing);
    const real = ledger;
    ledger = {
      ...real,
      open: () => {
        throw new Error('database or disk is full');
      },
    };
    const protection = await start({ downgrade: 'fallback' });
    expect(lastLeases()).toEqual([]);
    expect(stateOf(protection)).toMatchObject({ state: 'refusing' });
    const applied = addon.applied.length;
    await protection.tick();
    expect(addon.applied).toHaveLength(applied);
    ledger = real;
  });
});

test('an engine that grants no lease is not asked every second, and nothing leaves', async () => {
  const protection = await start({ downgrade: 'fallback' });
  const refusal = { code: 'lease', message: 'no slot', remedy: 'make room', path: 'leases[0]' };
  let asked = 0;
  addon.onApply = () => {
    asked++;
    throw new Error(JSON.stringify(refusal));
  };
  addon.upstreams.set('a', failing);
  for (let second = 0; second < 30; second++) {
    await protection.tick();
    now += 1000;
  }
  expect([asked, entries().map(({ closed }) => closed)]).toEqual([1, ['never in force']]);
  expect(health.list()).toMatchObject([
    { code: 'ledger-unwritable', text: expect.stringMatching(/leases\[0\]: no slot; make room/) },
  ]);
  expect(stateOf(protection)).toMatchObject({ state: 'refusing' });
  await protection.tick();
  expect(asked).toBe(2);
});

describe('warn', () => {
  test('asked once, and nothing is sent until a person allows it', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'warn' });
    await protection.tick();
    expect(stateOf(protection)).toEqual({ state: 'asking', upstream: 'A' });
    expect(addon.applied.at(-1)).toMatchObject({ leases: [], groups: [{ hold: false }] });
    expect(protection.asks()).toMatchObject([
      { state: 'open', why: 'A: timed out.', rungs: ['tcp', 'udp'], deadline: now + askDeadlineMs },
    ]);
    const { id } = openAsk(protection);
    expect(await protection.allow(id, 30, ann)).toMatchObject({
      value: { state: 'allowed', who: 'ann', until: now + 30 * 60_000 },
    });
    expect(lastLeases()).toMatchObject([{ entry: 1, class: 'policy', until: now + 30 * 60_000 }]);
    expect(entries()).toMatchObject([{ who: 'ann', reason: expect.stringMatching(/30 min/) }]);
    expect(stateOf(protection)).toMatchObject({ state: 'exposed', consent: 'allowed by ann' });
  });

  test('when the time is over the entry is closed and the person asked again', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'warn' });
    const { id } = openAsk(protection);
    await protection.allow(id, 1, ann);
    now += 60_000;
    await protection.tick();
    expect(lastLeases()).toEqual([]);
    expect(entries()).toMatchObject([{ closed: 'its time ran out' }]);
    expect(openAsk(protection).id).not.toBe(id);
  });

  test('the engine’s clock ends what was allowed, whatever the time of day says', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'warn' });
    await protection.allow(openAsk(protection).id, 30, ann);
    addon.ended.add(1);
    await protection.tick();
    expect(lastLeases()).toEqual([]);
    expect(stateOf(protection)).toEqual({ state: 'asking', upstream: 'A' });
  });

  test('denied, until a person retries in vain: then asked anew', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'warn' });
    const { id } = openAsk(protection);
    await protection.deny(id, ann);
    await protection.tick();
    expect(stateOf(protection)).toMatchObject({ state: 'refusing' });
    const retried = protection.retry(id, ann);
    await expect.poll(() => addon.reconnects).toBe(1);
    expect(stateOf(protection)).toEqual({ state: 'starting', upstream: 'A' });
    addon.upstreams.set('a', { ...failing, dials: 1 });
    const value = { state: 'retried', reached: null, whyNot: 'A: timed out.' };
    expect(await retried).toMatchObject({ ok: true, value });
    expect(openAsk(protection).id).not.toBe(id);
    expect(await retried).toMatchObject({ value: { next: openAsk(protection).id } });
  });

  describe('retry', () => {
    const refused = { code: 'connect-failed', message: '192.0.2.1:853: connection refused' };
    async function denied() {
      addon.upstreams.set('a', failing);
      const protection = await start({ downgrade: 'warn' });
      const { id } = openAsk(protection);
      await protection.deny(id, ann);
      return { protection, id };
    }

    test('in vain, though nothing was asked meanwhile: told at once, and asked anew', async () => {
      const { protection, id } = await denied();
      addon.onTest = async () => someProbe({ ok: false, error: refused });
      const retried = await protection.retry(id, ann);
      const { id: next } = openAsk(protection);
      const whyNot = 'A: 192.0.2.1:853: connection refused.';
      expect(retried).toMatchObject({ value: { reached: null, whyNot, next } });
      expect(openAsk(protection).why).toBe(whyNot);
    });

    test('a private path comes about: told with its upstream, and nobody is asked', async () => {
      const { protection, id } = await denied();
      addon.onTest = async () => {
        addon.upstreams.set('a', { ...ready, dials: 1 });
        void protection.settle();
        return someProbe();
      };
      const retried = await protection.retry(id, ann);
      expect(retried).toMatchObject({ value: { reached: 'A', whyNot: '', next: null } });
      expect(stateOf(protection)).toMatchObject({ state: 'private' });
    });

    test('it answers by the other way: the engine is told to dial', async () => {
      const { protection, id } = await denied();
      addon.onTest = async () =>
        someProbe({
          ok: false,
          error: refused,
          alternative: { ...someProbe(), transport: 'tdns' },
        });
      expect(await protection.retry(id, ann)).toMatchObject({ value: { reached: 'A' } });
      expect(addon.reconnects).toBe(2);
    });

    test('the engine rests: it is asked again when it does no more', async () => {
      const { protection, id } = await denied();
      paused = Promise.resolve();
      addon.upstreams.set('a', { ...failing, restingMs: 400 });
      let tests = 0;
      addon.onTest = async () => {
        if (++tests === 2) addon.upstreams.set('a', { ...ready, dials: 1 });
        return someProbe();
      };
      await protection.retry(id, ann);
      await expect.poll(() => tests).toBe(2);
    });

    test('time is up: told what is known, and nothing hangs', async () => {
      const { protection, id } = await denied();
      paused = Promise.resolve();
      addon.onTest = () => new Promise(() => {});
      expect(await protection.retry(id, ann)).toMatchObject({
        value: { reached: null, whyNot: 'A: no connection.', next: null },
      });
    });
  });

  test('denied, until a private path returns: lost again, asked again', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'warn' });
    await protection.deny(openAsk(protection).id, ann);
    addon.upstreams.set('a', ready);
    await protection.settle();
    addon.upstreams.set('a', failing);
    await protection.settle();
    expect(protection.asks().map(({ state }) => state)).toEqual(['open', 'denied']);
  });

  test('denied, until the network changes', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'warn' });
    await protection.deny(openAsk(protection).id, ann);
    watch.change(elsewhere);
    await protection.settle();
    expect(stateOf(protection)).toEqual({ state: 'starting', upstream: 'A' });
    addon.upstreams.set('a', { ...failing, dials: 1 });
    await protection.settle();
    expect(openAsk(protection)).toMatchObject({ network: network.stay().partition });
  });

  test('what was allowed on one network is not allowed on the next, nor after coming back', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'warn' });
    await protection.allow(openAsk(protection).id, 30, ann);
    for (const [dials, place] of [elsewhere, someSnapshot()].entries()) {
      watch.change(place);
      await protection.settle();
      addon.upstreams.set('a', { ...failing, dials: dials + 1 });
      await protection.settle();
      expect(lastLeases()).toEqual([]);
    }
    expect(protection.asks().map(({ state }) => state)).toEqual(['open', 'withdrawn', 'allowed']);
  });

  test('what was allowed on one network is not allowed on the next by settings that change first', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'warn' });
    await protection.allow(openAsk(protection).id, 30, ann);
    watch.change(elsewhere);
    await protection.adopt(
      someEffective({ upstreams: [dot], downgrade: 'warn', strategy: 'race' }),
    );
    expect(entries()).toMatchObject([{ id: 1, closed: 'the network changed' }]);
  });

  test('an answer counts no more once the clock is before it', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'warn' });
    await protection.allow(openAsk(protection).id, 30, ann);
    now -= 60_000;
    await protection.settle();
    expect(lastLeases()).toEqual([]);
    expect(openAsk(protection)).toMatchObject({ state: 'open' });
  });

  test('nobody answers: refusing, and the question hangs no longer', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'warn' });
    const { id } = openAsk(protection);
    now += askDeadlineMs;
    await protection.tick();
    expect(protection.asks()).toMatchObject([{ id, state: 'unanswered' }]);
    expect(stateOf(protection)).toMatchObject({ state: 'refusing' });
    expect(await protection.allow(id, 5, ann)).toMatchObject({
      failure: { code: 'ask-closed', remedy: `to be asked anew: sotto ask retry ${id}` },
    });
  });

  test('an answer a moment too late is none', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'warn' });
    const { id } = openAsk(protection);
    now += askDeadlineMs;
    expect(await protection.allow(id, 5, ann)).toMatchObject({ failure: { code: 'ask-closed' } });
    expect(lastLeases()).toEqual([]);
  });

  test('consent of an administrator: nobody below may give it', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'warn', consent: 'administrator' });
    const { id } = openAsk(protection);
    expect(await protection.allow(id, 5, ann)).toMatchObject({ failure: { code: 'forbidden' } });
    expect(lastLeases()).toEqual([]);
    expect(openAsk(protection).id).toBe(id);
    const root = { who: 'root', role: 'administer' } as const;
    expect(await protection.allow(id, 5, root)).toMatchObject({ ok: true });
    expect(entries()).toMatchObject([{ who: 'root' }]);
  });

  test('after a restart nobody has allowed anything', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'warn' });
    await protection.allow(openAsk(protection).id, 30, ann);
    ledger.release();
    ledger = openLedger(join(folder.path, 'ledger.sqlite'), () => now);
    addon = fakeEngine();
    addon.upstreams.set('a', failing);
    const again = await start({ downgrade: 'warn' });
    expect(entries()).toMatchObject([{ id: 1, closed: 'interrupted' }]);
    expect(lastLeases()).toEqual([]);
    expect(stateOf(again)).toEqual({ state: 'asking', upstream: 'A' });
  });

  test('settings that change the policy withdraw the question; others leave it', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'warn' });
    const { id } = openAsk(protection);
    const upstreams = [dot];
    await protection.adopt(someEffective({ upstreams, downgrade: 'warn', 'cache.entries': 5 }));
    expect(openAsk(protection).id).toBe(id);
    await protection.adopt(someEffective({ upstreams, downgrade: 'warn', rungs: ['tcp'] }));
    expect(protection.asks()).toMatchObject([
      { state: 'open', rungs: ['tcp'] },
      { id, state: 'withdrawn' },
    ]);
    await protection.adopt(someEffective({ upstreams }));
    expect(protection.asks().map(({ state }) => state)).toEqual(['withdrawn', 'withdrawn']);
  });
});

test('after a restart under fallback: the old entry was interrupted, the new one is its own', async () => {
  addon.upstreams.set('a', failing);
  await start({ downgrade: 'fallback' });
  ledger.release();
  ledger = openLedger(
    join(folder.path, 'ledger.sqlite'),
    () => now,
    () => new Map([[1, 12]]),
  );
  addon = fakeEngine();
  await start({ downgrade: 'fallback' });
  expect(entries()).toMatchObject([{ id: 1, count: 12, closed: 'interrupted' }]);
  expect(lastLeases()).toEqual([]);
});

describe('without a network', () => {
  const offline = emptySnapshot;
  const far = { ...dot, address: '198.51.100.1' } as const;
  const issues = (protection: Protection) =>
    [...protection.view(engineNow()).health].flatMap(([code, details]) =>
      details.size > 0 ? [code] : [],
    );

  test('warn: nobody is asked, until a link comes and its paths fail, too', async () => {
    addon.upstreams.set('a', failing);
    watch.change(offline);
    const protection = await start({ downgrade: 'warn', upstreams: [far] });
    expect(stateOf(protection)).toEqual({ state: 'refusing', why: 'There is no network here.' });
    expect([protection.asks(), entries(), issues(protection)]).toEqual([[], [], ['no-network']]);
    watch.change(someSnapshot());
    await protection.settle();
    expect(stateOf(protection)).toEqual({ state: 'starting', upstream: 'A' });
    addon.upstreams.set('a', { ...failing, dials: 1 });
    await protection.settle();
    expect(openAsk(protection)).toMatchObject({ state: 'open', why: 'A: timed out.' });
  });

  test('fallback: the entry ends with the link, and questions wait for none', async () => {
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'fallback', upstreams: [far] });
    expect(stateOf(protection)).toMatchObject({ state: 'exposed' });
    watch.change(offline);
    addon.holding = 1;
    await protection.settle();
    expect(stateOf(protection)).toMatchObject({ state: 'refusing' });
    expect(addon.applied.at(-1)).toMatchObject({ leases: [], groups: [{ hold: false }] });
    expect(entries()).toMatchObject([{ closed: 'the network changed' }]);
    watch.change(elsewhere);
    addon.upstreams.set('a', { ...failing, dials: 1 });
    await protection.settle();
    expect(stateOf(protection)).toMatchObject({ state: 'exposed' });
    expect(entries()).toHaveLength(2);
  });

  test('an upstream on this machine needs none', async () => {
    addon.upstreams.set('a', failing);
    watch.change(offline);
    const here = { ...dot, address: '127.0.0.1:8853' } as const;
    const protection = await start({ downgrade: 'warn', upstreams: [here] });
    expect(openAsk(protection)).toMatchObject({ upstream: 'A' });
  });

  test('one group may be cut off while another is near', async () => {
    watch.change({ ...someSnapshot(), defaultRoutes: [] });
    addon.upstreams.set('a', ready);
    const groups = { corp: { names: ['corp.example'] } };
    const upstreams = [dot, { ...corpDot, address: '198.51.100.1' }];
    const protection = await start({ upstreams, groups });
    expect(protection.view(engineNow()).groups).toMatchObject([
      { id: '', state: { state: 'private' } },
      { id: 'corp', state: { state: 'refusing', why: 'There is no network here.' } },
    ]);
  });
});

test('a disk that takes nothing keeps nobody in clear', async () => {
  addon.upstreams.set('a', ready);
  const protection = await start({});
  await protection.turn({ protection: 'off', since: now, who: 'ann', until: null });
  rmSync(join(folder.path, 'switch.json'));
  mkdirSync(join(folder.path, 'switch.json'));
  expect(await protection.turn({ protection: 'on', since: now, who: 'ann' })).toMatchObject({
    failure: { code: 'state-unwritable' },
  });
  expect(protection.position()).toMatchObject({ protection: 'on' });
  expect(lastLeases()).toEqual([]);
});

test('upstreams in clear are no way around a policy that is locked', async () => {
  const clear = { id: 'u', transport: 'udp', address: '192.0.2.2' } as const;
  const locked = { ...fromUser, layer: 'policy', locked: true } as const;
  const protection = await start({});
  const refuse = { upstreams: [clear], downgrade: 'refuse' as const };
  await protection.adopt(someEffective(refuse, { downgrade: locked }));
  expect(lastLeases()).toEqual([]);
  expect(stateOf(protection)).toMatchObject({ state: 'refusing' });
  await protection.adopt(someEffective(refuse, { downgrade: locked, upstreams: locked }));
  expect(lastLeases()).toMatchObject([{ class: 'policy' }]);
});

describe('what is remembered of the network', () => {
  test('stricter than the settings: at once', async () => {
    memory.set(network.stay().identity.id, { policy: 'refuse' });
    addon.upstreams.set('a', failing);
    const protection = await start({ downgrade: 'fallback' });
    expect(lastLeases()).toEqual([]);
    expect(protection.view(engineNow()).rules).toMatchObject([
      { policy: 'refuse', why: expect.stringMatching(/^what was set for the network/) },
    ]);
  });

  test('looser: only after an upstream has proved itself since we came', async () => {
    memory.set(network.stay().identity.id, { policy: 'fallback' });
    addon.upstreams.set('a', failing);
    const protection = await start({});
    expect(lastLeases()).toEqual([]);
    addon.upstreams.set('a', ready);
    await protection.settle();
    addon.upstreams.set('a', failing);
    await protection.settle();
    expect(lastLeases()).toMatchObject([{ class: 'policy' }]);
    expect(entries()).toMatchObject([
      { who: expect.stringMatching(/^what was set for the network/) },
    ]);
  });

  test('a connection from before proves nothing about the network we came to', async () => {
    memory.set(network.stay().identity.id, { policy: 'fallback' });
    const protection = await start({});
    addon.upstreams.set('a', ready);
    await protection.settle();
    expect(network.confirmed()).toBe(true);
    watch.change(elsewhere);
    addon.upstreams.set('a', failing);
    await protection.settle();
    expect([network.confirmed(), lastLeases()]).toEqual([false, []]);
  });
});

test('the guardian is told the strictest policy: before it is in force, and of looser ones afterwards', async () => {
  addon.onApply = () => void told.push('applied');
  const protection = await start({ downgrade: 'fallback' });
  const groups = { corp: { names: ['corp.example'], downgrade: 'refuse' as const } };
  const upstreams = [dot, corpDot];
  await protection.adopt(someEffective({ upstreams, groups, downgrade: 'fallback' }));
  const downgrade = { ...fromUser, layer: 'policy', locked: true } as const;
  await protection.adopt(someEffective({ upstreams: [dot], downgrade: 'warn' }, { downgrade }));
  expect(told).toEqual([
    'fallback false',
    'applied',
    'refuse false',
    'applied',
    'applied',
    'warn true',
  ]);
});

test('waking abandons connections', async () => {
  const protection = await start({});
  await protection.reconnect();
  expect(addon.reconnects).toBe(1);
});

test('dialing into nothing is not starting for ever', async () => {
  addon.upstreams.set('a', { state: 'dialing' });
  const protection = await start({ downgrade: 'fallback' });
  expect(stateOf(protection)).toEqual({ state: 'starting', upstream: 'A' });
  now += 10_000;
  await protection.tick();
  expect(stateOf(protection)).toMatchObject({ state: 'exposed' });
});

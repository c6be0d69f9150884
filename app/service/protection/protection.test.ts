import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { nobody } from '../conditions/account-numbers.ts';
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
import { createRulesNow } from '../rules/rules-now.ts';
import { someEffective } from './effective-fixture.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { type Protection, startProtection } from './protection.ts';
import { pauseUntil } from './switch.ts';

let folder: TestFolder;
let addon: FakeEngine;
let ledger: Ledger;
let health: HealthRegistry;
let servers: string[];
let now: number;
let memory: NetworkMemory;
let watch: FakeNetworkWatch;
let network: CurrentNetwork;

beforeEach(() => {
  folder = testFolder();
  addon = fakeEngine();
  now = 1000;
  servers = ['192.0.2.53:53'];
  memory = openNetworkMemory(join(folder.path, 'networks.sqlite'), () => now);
  watch = createFakeNetworkWatch(someSnapshot());
  network = followNetwork(watch, memory);
  ledger = openLedger(join(folder.path, 'ledger.sqlite'), () => now);
  health = createHealthRegistry(
    () => now,
    () => {},
  );
});
afterEach(() => {
  ledger.release();
  memory.close();
  folder.remove();
});

const settings = someEffective;

const dot = { id: 'a', transport: 'dot', address: '192.0.2.1', name: 'a.test' } as const;
const udp = { id: 'u', transport: 'udp', address: '192.0.2.2' } as const;
const corp = { suffix: 'corp.example', to: ['192.0.2.9'] };
const withDot = settings({ upstreams: [dot] });
const off = { protection: 'off', since: 0, who: 'me', until: null } as const;

async function start(effective = withDot): Promise<Protection> {
  const started = await startProtection(
    {
      engine: startEngine(addon, { onEvents: () => {}, onChange: () => {} }),
      ledger,
      health,
      switchFile: join(folder.path, 'switch.json'),
      clock: { wall: () => now, sinceBoot: () => now, boot: 'this start' },
      serversFor: () => servers,
      rulesFor: createRulesNow({
        network,
        memory,
        serversFor: () => servers,
        now: () => now,
        built: 0,
      }).under,
      accounts: { ...nobody, known: nobody },
      forwarders: () => [],
      identities: () => new Map(),
      onBattery: () => false,
      network,
      labelOf: (id) => id.toUpperCase(),
      tellGuardian: () => {},
      now: () => now,
      built: 0,
      pause: () => new Promise(() => {}),
      onChange: () => {},
    },
    effective,
  );
  if (!started.ok) throw new Error(started.failure.message);
  return started.value;
}

const lastConfig = () => addon.applied.at(-1);

test('private upstreams need no permission', async () => {
  await start();
  expect(lastConfig()).toMatchObject({ mode: 'private', leases: [], upstreams: [{ id: 'a' }] });
  expect(ledger.list({ limit: 9 })).toEqual([]);
});

test('an entry is on disk before the engine gets its lease', async () => {
  const seen: unknown[] = [];
  addon.onApply = ({ leases }) =>
    seen.push(
      leases.map(({ entry }) => entry),
      ledger.standing().map(({ id }) => id),
    );
  await start(settings({ upstreams: [dot], bypass: [corp] }));
  expect(seen).toEqual([[1], [1]]);
  expect(lastConfig()?.leases).toEqual([
    { entry: 1, class: 'bypass', rule: 'corp.example', group: '', until: null },
  ]);
  expect(ledger.list({ limit: 9 })).toMatchObject([
    { class: 'bypass', rule: 'corp.example', who: 'your settings' },
  ]);
});

test('a rule that is a downgrade exposes from its entry on, until it goes', async () => {
  const wide = { suffix: '.', to: ['192.0.2.9'], downgrade: true as const };
  const protection = await start(settings({ upstreams: [dot], bypass: [wide] }));
  const engine = startEngine(addon, { onEvents: () => {}, onChange: () => {} });
  const state = () => protection.view(engine.status()).state;
  expect(ledger.standing()).toMatchObject([{ class: 'policy', group: '', until: null }]);
  expect(state()).toMatchObject({ state: 'exposed', until: null });
  await protection.adopt(settings({ upstreams: [dot] }));
  expect(state()).not.toMatchObject({ state: 'exposed' });
});

test('only clear upstreams: one entry of class policy; a private one beside them ends it', async () => {
  const protection = await start(settings({ upstreams: [udp] }));
  expect(lastConfig()).toMatchObject({ leases: [{ class: 'policy' }], upstreams: [{ id: 'u' }] });
  addon.sent.set(1, 3);
  await protection.adopt(settings({ upstreams: [udp, dot] }));
  expect(lastConfig()).toMatchObject({ leases: [], upstreams: [{ id: 'a' }] });
  expect(ledger.list({ limit: 9 })).toMatchObject([
    { class: 'policy', count: 3, closed: 'the settings changed' },
  ]);
});

test('a permission that stays keeps its entry through other changes', async () => {
  const protection = await start(settings({ upstreams: [dot], bypass: [corp] }));
  await protection.adopt(settings({ upstreams: [dot], bypass: [corp], 'cache.entries': 5 }));
  await protection.adopt(
    settings({ upstreams: [dot], bypass: [corp, { suffix: 'lab.example', to: ['192.0.2.8'] }] }),
  );
  expect(lastConfig()?.leases.map(({ entry, rule }) => [entry, rule])).toEqual([
    [1, 'corp.example'],
    [2, 'lab.example'],
  ]);
});

test('off: the system’s resolvers under a lease, until switched on again', async () => {
  const protection = await start(settings({ upstreams: [dot], bypass: [corp] }));
  expect((await protection.turn(off)).ok).toBe(true);
  expect(lastConfig()).toMatchObject({
    mode: { direct: { class: 'off', servers } },
    leases: [{ class: 'bypass' }, { class: 'off', until: null }],
  });
  addon.sent.set(2, 4);
  await protection.turn({ protection: 'on', since: now, who: 'me' });
  expect(lastConfig()).toMatchObject({ mode: 'private', leases: [{ class: 'bypass' }] });
  expect(ledger.list({ limit: 1 })).toMatchObject([
    { class: 'off', count: 4, closed: 'switched on by me' },
  ]);
});

test('off without a known resolver: no permission, the engine refuses at once', async () => {
  servers = [];
  const protection = await start();
  await protection.turn(off);
  expect(lastConfig()).toMatchObject({
    mode: { direct: { class: 'off', servers: [] } },
    leases: [],
  });
  servers = ['192.0.2.54:53'];
  await protection.tick();
  expect(lastConfig()).toMatchObject({ mode: { direct: { servers } }, leases: [{ class: 'off' }] });
});

test('off survives a restart', async () => {
  await (await start()).turn(off);
  const again = await start();
  expect(again.position()).toMatchObject({ protection: 'off' });
  expect(lastConfig()).toMatchObject({ mode: { direct: { class: 'off' } } });
});

test('a pause carries its end into the lease and ends by itself', async () => {
  const protection = await start();
  await protection.turn(pauseUntil({ minutes: 10 }, now, 'me'));
  const until = now + 600_000;
  expect(lastConfig()?.leases).toEqual([
    { entry: 1, class: 'paused', rule: null, group: '', until },
  ]);
  now = until - 1;
  await protection.tick();
  expect(protection.position().protection).toBe('paused');
  now = until;
  await protection.tick();
  expect(protection.position().protection).toBe('on');
  expect(lastConfig()).toMatchObject({ mode: 'private', leases: [] });
  expect(ledger.list({ limit: 1 })).toMatchObject([{ class: 'paused', closed: 'the pause ended' }]);
});

test('a pause that ended while nobody ran is over; one until restart too', async () => {
  await (await start()).turn(pauseUntil({ minutes: 1 }, now, 'me'));
  now += 60_000;
  expect((await start()).position().protection).toBe('on');
  await (await start()).turn(pauseUntil({ untilRestart: true }, now, 'me'));
  expect(existsSync(join(folder.path, 'switch.json'))).toBe(false);
  expect((await start()).position().protection).toBe('on');
});

test('a configuration the engine refuses leaves everything as it was', async () => {
  const protection = await start();
  addon.onApply = () => {
    throw new Error(
      JSON.stringify({ code: 'listen-failed', message: 'in use', remedy: '', path: 'listen[0]' }),
    );
  };
  const changed = settings({ upstreams: [dot], bypass: [corp] });
  expect(await protection.adopt(changed)).toMatchObject({ failure: { code: 'listen-failed' } });
  expect(await protection.turn(off)).toMatchObject({ failure: { code: 'listen-failed' } });
  expect(protection.inForce()).toBe(withDot);
  expect(protection.position().protection).toBe('on');
  expect(existsSync(join(folder.path, 'switch.json'))).toBe(false);
  expect(ledger.list({ limit: 9 }).map(({ closed }) => closed)).toEqual([
    'never in force',
    'never in force',
  ]);
});

test('what can’t be written down is not permitted, the rest works', async () => {
  const broken = ledger;
  ledger = {
    ...broken,
    openAll: () => {
      throw new Error('database or disk is full');
    },
  };
  await start(settings({ upstreams: [dot], bypass: [corp] }));
  expect(lastConfig()).toMatchObject({ mode: 'private', leases: [], upstreams: [{ id: 'a' }] });
  expect(health.list()).toMatchObject([
    { code: 'ledger-unwritable', text: expect.stringMatching(/disk is full/) },
  ]);
  ledger = broken;
});

test('counts are written as they grow, for a reader and at the end, which closes every entry', async () => {
  const protection = await start(settings({ upstreams: [dot], bypass: [corp] }));
  addon.sent.set(1, 2);
  await protection.tick();
  expect(ledger.standing()).toMatchObject([{ count: 2 }]);
  addon.sent.set(1, 4);
  protection.writeCounts();
  expect(ledger.standing()).toMatchObject([{ count: 4 }]);
  addon.sent.set(1, 7);
  await protection.end();
  expect(ledger.list({ limit: 9 })).toMatchObject([{ count: 7, closed: 'the service stopped' }]);
  await protection.tick();
  expect(addon.applied).toHaveLength(1);
});

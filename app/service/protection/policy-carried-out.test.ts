/** The policies as the engine, the ledger and a person experience them. */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { someSnapshot } from '../network/fake-network-watch.ts';
import { emptySnapshot } from '../network/network-snapshot.ts';
import { fromUser, someEffective } from './effective-fixture.ts';
import type { Protection } from './protection.ts';
import { corpDot, dot, elsewhere, failing, ProtectionStage, ready } from './protection-stage.ts';

let stage: ProtectionStage;
beforeEach(() => {
  stage = new ProtectionStage();
  return () => stage.close();
});

describe('without a network', () => {
  const offline = emptySnapshot;
  const far = { ...dot, address: '198.51.100.1' } as const;
  const issues = (protection: Protection) =>
    [...stage.view(protection).health].flatMap(([code, details]) =>
      details.size > 0 ? [code] : [],
    );

  test('warn: nobody is asked, until a link comes and its paths fail, too', async () => {
    stage.addon.upstreams.set('a', failing);
    stage.watch.change(offline);
    const protection = await stage.start({ downgrade: 'warn', upstreams: [far] });
    expect(stage.stateOf(protection)).toEqual({
      state: 'refusing',
      why: 'There is no network here.',
    });
    expect([protection.consentRequests(), stage.entries(), issues(protection)]).toEqual([
      [],
      [],
      ['no-network'],
    ]);
    stage.watch.change(someSnapshot());
    await protection.settle();
    expect(stage.stateOf(protection)).toEqual({ state: 'starting', upstream: 'A' });
    stage.addon.upstreams.set('a', { ...failing, dials: 1 });
    await protection.settle();
    expect(stage.openConsentRequest(protection)).toMatchObject({
      state: 'open',
      why: 'A: timed out.',
    });
  });

  test('fallback: the entry ends with the link, and queries wait for none', async () => {
    stage.addon.upstreams.set('a', failing);
    const protection = await stage.start({ downgrade: 'fallback', upstreams: [far] });
    expect(stage.stateOf(protection)).toMatchObject({ state: 'exposed' });
    stage.watch.change(offline);
    stage.addon.holding = 1;
    await protection.settle();
    expect(stage.stateOf(protection)).toMatchObject({ state: 'refusing' });
    expect(stage.addon.applied.at(-1)).toMatchObject({ leases: [], groups: [{ hold: false }] });
    expect(stage.entries()).toMatchObject([{ closed: 'the network changed' }]);
    stage.watch.change(elsewhere);
    stage.addon.upstreams.set('a', { ...failing, dials: 1 });
    await protection.settle();
    expect(stage.stateOf(protection)).toMatchObject({ state: 'exposed' });
    expect(stage.entries()).toHaveLength(2);
  });

  test('an upstream on this machine needs none', async () => {
    stage.addon.upstreams.set('a', failing);
    stage.watch.change(offline);
    const here = { ...dot, address: '127.0.0.1:8853' } as const;
    const protection = await stage.start({ downgrade: 'warn', upstreams: [here] });
    expect(stage.openConsentRequest(protection)).toMatchObject({ upstream: 'A' });
  });

  test('one group may be cut off while another is near', async () => {
    stage.watch.change({ ...someSnapshot(), defaultRoutes: [] });
    stage.addon.upstreams.set('a', ready);
    const groups = { corp: { names: ['corp.example'] } };
    const upstreams = [dot, { ...corpDot, address: '198.51.100.1' }];
    const protection = await stage.start({ upstreams, groups });
    expect(stage.view(protection).groups).toMatchObject([
      { id: '', state: { state: 'private' } },
      { id: 'corp', state: { state: 'refusing', why: 'There is no network here.' } },
    ]);
  });
});

describe('what is remembered of the network', () => {
  test('stricter than the settings: at once', async () => {
    stage.memory.set(stage.network.stay().identity.id, { policy: 'refuse' });
    stage.addon.upstreams.set('a', failing);
    const protection = await stage.start({ downgrade: 'fallback' });
    expect(stage.lastLeases()).toEqual([]);
    expect(stage.view(protection).rules).toMatchObject([
      { policy: 'refuse', why: expect.stringMatching(/^what was set for the network/) },
    ]);
  });

  test('looser: only after an upstream has proved itself since we came', async () => {
    stage.memory.set(stage.network.stay().identity.id, { policy: 'fallback' });
    stage.addon.upstreams.set('a', failing);
    const protection = await stage.start({});
    expect(stage.lastLeases()).toEqual([]);
    stage.addon.upstreams.set('a', ready);
    await protection.settle();
    stage.addon.upstreams.set('a', failing);
    await protection.settle();
    expect(stage.lastLeases()).toMatchObject([{ class: 'policy' }]);
    expect(stage.entries()).toMatchObject([
      { who: expect.stringMatching(/^what was set for the network/) },
    ]);
  });

  test('a connection from before proves nothing about the network we came to', async () => {
    stage.memory.set(stage.network.stay().identity.id, { policy: 'fallback' });
    const protection = await stage.start({});
    stage.addon.upstreams.set('a', ready);
    await protection.settle();
    expect(stage.network.confirmed()).toBe(true);
    stage.watch.change(elsewhere);
    stage.addon.upstreams.set('a', failing);
    await protection.settle();
    expect([stage.network.confirmed(), stage.lastLeases()]).toEqual([false, []]);
  });
});

test('the guardian is told the strictest policy: before it is in force, and of looser ones afterwards', async () => {
  stage.addon.onApply = () => void stage.told.push('applied');
  const protection = await stage.start({ downgrade: 'fallback' });
  const groups = { corp: { names: ['corp.example'], downgrade: 'refuse' as const } };
  const upstreams = [dot, corpDot];
  await protection.adopt(someEffective({ upstreams, groups, downgrade: 'fallback' }));
  const downgrade = { ...fromUser, layer: 'policy', locked: true } as const;
  await protection.adopt(someEffective({ upstreams: [dot], downgrade: 'warn' }, { downgrade }));
  expect(stage.told).toEqual([
    'fallback false',
    'applied',
    'refuse false',
    'applied',
    'applied',
    'warn true',
  ]);
});

test('a disk that takes nothing keeps nobody in cleartext', async () => {
  stage.addon.upstreams.set('a', ready);
  const protection = await stage.start({});
  await protection.turn({ protection: 'off', since: stage.now, who: 'ann', until: null });
  rmSync(join(stage.folder.path, 'switch.json'));
  mkdirSync(join(stage.folder.path, 'switch.json'));
  expect(await protection.turn({ protection: 'on', since: stage.now, who: 'ann' })).toMatchObject({
    failure: { code: 'state-unwritable' },
  });
  expect(protection.position()).toMatchObject({ protection: 'on' });
  expect(stage.lastLeases()).toEqual([]);
});

test('upstreams in cleartext are no way around a policy that is locked', async () => {
  const clear = { id: 'u', transport: 'udp', address: '192.0.2.2' } as const;
  const locked = { ...fromUser, layer: 'policy', locked: true } as const;
  const protection = await stage.start({});
  const refuse = { upstreams: [clear], downgrade: 'refuse' as const };
  await protection.adopt(someEffective(refuse, { downgrade: locked }));
  expect(stage.lastLeases()).toEqual([]);
  expect(stage.stateOf(protection)).toMatchObject({ state: 'refusing' });
  await protection.adopt(someEffective(refuse, { downgrade: locked, upstreams: locked }));
  expect(stage.lastLeases()).toMatchObject([{ class: 'policy' }]);
});

test('waking abandons connections', async () => {
  const protection = await stage.start({});
  await protection.reconnect();
  expect(stage.addon.reconnects).toBe(1);
});

test('an exception on the way leaves nothing permitted that was not before', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({});
  const told = stage.told;
  stage.told = Object.assign([], {
    push() {
      throw new Error('a bug');
    },
  });
  const fallback = someEffective({ upstreams: [dot], downgrade: 'fallback' });
  await expect(protection.adopt(fallback)).rejects.toThrow('a bug');
  expect(protection.inForce().settings.downgrade).toBe('refuse');
  stage.told = told;
  await protection.settle();
  expect(stage.lastLeases()).toEqual([]);
  expect(stage.entries().filter(({ closed }) => closed === null)).toEqual([]);
});

test('a change of settings reaches the engine once', async () => {
  stage.addon.upstreams.set('a', ready);
  const protection = await stage.start({});
  const applied = stage.addon.applied.length;
  await protection.adopt(someEffective({ upstreams: [dot], 'cache.entries': 5 }));
  await protection.settle();
  expect(stage.addon.applied).toHaveLength(applied + 1);
});

test('an address of a link is told to the engine again where the link appears, goes, or is made anew', async () => {
  const { interfaces, ...rest } = someSnapshot();
  const [first] = interfaces;
  if (first === undefined) throw new Error('the snapshot has a link');
  const withLink = (index: number) => ({
    ...rest,
    interfaces: [first, { ...first, name: 'v0', index, addresses: [] }],
  });
  const protection = await stage.start({
    bypass: [{ suffix: 'corp.example', to: ['fe80::1%v0'] }],
  });
  for (const [snapshot, times] of [
    [withLink(7), 1],
    [withLink(7), 0],
    [withLink(8), 1],
    [someSnapshot(), 1],
  ] as const) {
    const applied = stage.addon.applied.length;
    stage.watch.change(snapshot);
    await protection.settle();
    expect(stage.addon.applied).toHaveLength(applied + times);
    expect(stage.lastLeases()).toMatchObject([{ class: 'bypass' }]);
  }
  const applied = stage.addon.applied.length;
  stage.watch.change({ ...rest, interfaces: [first, { ...first, name: 'other', index: 9 }] });
  await protection.settle();
  expect(stage.addon.applied).toHaveLength(applied);
});

test('reading the state changes nothing: how long dials take in vain counts from when the loop saw them', async () => {
  stage.addon.upstreams.set('a', { state: 'idle' });
  const protection = await stage.start({});
  stage.addon.upstreams.set('a', { state: 'dialing' });
  const starting = { state: 'starting', upstream: 'A' };
  expect(stage.stateOf(protection)).toEqual(starting);
  stage.now += 20_000;
  expect(stage.stateOf(protection)).toEqual(starting);
  await protection.settle();
  stage.now += 20_000;
  expect(stage.stateOf(protection)).toMatchObject({ state: 'refusing' });
});

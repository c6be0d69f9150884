/** Fallback, carried out: queries wait for a lease, which is on disk first, and lasts no longer than it is needed. */

import { beforeEach, expect, test } from 'vitest';
import type { EngineConfig } from '../engine/boundary.ts';
import { someSnapshot } from '../network/fake-network-watch.ts';
import { fallbackLeaseMs } from './group-transition.ts';
import {
  corpDot,
  dot,
  elsewhere,
  error,
  failing,
  ProtectionStage,
  ready,
} from './protection-stage.ts';

let stage: ProtectionStage;
beforeEach(() => {
  stage = new ProtectionStage();
  return () => stage.close();
});

test('queries wait: the entry is on disk when the engine gets its lease', async () => {
  const protection = await stage.start({ downgrade: 'fallback' });
  expect(stage.addon.applied.at(-1)).toMatchObject({
    leases: [],
    groups: [{ id: '', rungs: ['tcp', 'udp'], hold: true }],
  });
  const seen: unknown[] = [];
  stage.addon.onApply = ({ leases }: EngineConfig) =>
    seen.push([leases.map(({ entry }) => entry), stage.ledger.standing().map(({ id }) => id)]);
  stage.addon.upstreams.set('a', failing);
  stage.addon.holding = 2;
  await protection.settle();
  expect(seen).toEqual([[[1], [1]]]);
  expect(stage.lastLeases()).toEqual([
    { entry: 1, class: 'policy', rule: null, group: '', until: stage.now + fallbackLeaseMs },
  ]);
  expect(stage.stateOf(protection)).toMatchObject({
    state: 'exposed',
    since: stage.now,
    until: null,
  });
  expect(stage.entries()).toMatchObject([
    {
      class: 'policy',
      who: 'your settings',
      reason: 'no private path (A: timed out); rungs allowed: tcp, udp',
      networkLabel: '192.0.2.0/24 via 192.0.2.1 on eth0',
    },
  ]);
});

test('a move on the same network is told to the engine, which confirms what is permitted here', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'fallback' });
  expect(stage.addon.applied.at(-1)).toMatchObject({ networkChanges: 0 });
  stage.watch.change(someSnapshot({ networkChanges: 3 }));
  await protection.settle();
  expect(stage.addon.applied.at(-1)).toMatchObject({ networkChanges: 3, leases: [{ entry: 1 }] });
  stage.watch.change({ ...elsewhere, networkChanges: 4 });
  await protection.settle();
  expect(stage.addon.applied.at(-1)).toMatchObject({
    networkChanges: 4,
    network: stage.network.stay().partition,
  });
  expect(stage.entries().at(-1)).toMatchObject({ id: 1, closed: 'the network changed' });
});

test('the lease is renewed, first on disk, while it is needed', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'fallback' });
  stage.now += fallbackLeaseMs / 2 - 1;
  await protection.tick();
  expect(stage.lastLeases()).toMatchObject([{ entry: 1, until: 1_000_000 + fallbackLeaseMs }]);
  stage.now += 1;
  let onDisk: unknown;
  stage.addon.onApply = () => {
    onDisk = stage.ledger.standing()[0]?.until;
  };
  await protection.tick();
  expect(onDisk).toBe(stage.now + fallbackLeaseMs);
  expect(stage.lastLeases()).toMatchObject([{ entry: 1, until: stage.now + fallbackLeaseMs }]);
});

test('a private path returns: private at once, the entry closed with its last count', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'fallback' });
  stage.addon.sent.set(1, 4);
  stage.addon.upstreams.set('a', ready);
  await protection.settle();
  expect(stage.stateOf(protection)).toMatchObject({ state: 'private' });
  expect(stage.lastLeases()).toEqual([]);
  expect(stage.entries()).toMatchObject([
    { count: 4, closed: 'a private path works again', until: stage.now },
  ]);
});

test('a control plane that hung: what ran out meanwhile is closed as it was, the next entry is another', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'fallback' });
  stage.now += fallbackLeaseMs;
  await protection.tick();
  expect(stage.entries()).toMatchObject([
    { id: 2, closed: null, since: stage.now },
    { id: 1, closed: 'its time ran out' },
  ]);
});

test('what the engine’s own clock ended is over, though the time of day was set back', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'fallback' });
  stage.now -= 3_600_000;
  stage.addon.ended.add(1);
  await protection.tick();
  expect(stage.entries()).toMatchObject([
    { id: 2, closed: null },
    { id: 1, closed: 'its time ran out' },
  ]);
});

test('another network: the entry ends there, and begins anew here only if it must', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'fallback' });
  const before = stage.addon.applied.at(-1)?.network;
  stage.watch.change(elsewhere);
  await protection.settle();
  expect(stage.entries()).toMatchObject([{ id: 1, closed: 'the network changed' }]);
  expect(stage.addon.applied.at(-1)?.network).not.toBe(before);
  expect(stage.stateOf(protection)).toEqual({ state: 'starting', upstream: 'A' });
  stage.addon.upstreams.set('a', { ...failing, dials: 1 });
  await protection.settle();
  expect(stage.entries()[0]).toMatchObject({
    id: 2,
    network: stage.network.stay().partition,
    closed: null,
  });
});

test('a dial that went on while the engine moved says nothing about the new network', async () => {
  stage.addon.upstreams.set('a', { ...failing, dials: 3 });
  const protection = await stage.start({ downgrade: 'fallback' });
  stage.watch.change(elsewhere);
  stage.addon.onApply = () =>
    void stage.addon.upstreams.set('a', { state: 'dialing', lastError: error, dials: 5 });
  await protection.settle();
  expect(stage.stateOf(protection)).toEqual({ state: 'starting', upstream: 'A' });
  expect(stage.entries()).toHaveLength(1);
  stage.addon.onApply = () => {};
  stage.addon.upstreams.set('a', { ...failing, dials: 5 });
  await protection.settle();
  expect(stage.stateOf(protection)).toMatchObject({ state: 'exposed' });
});

test('two groups under two policies', async () => {
  stage.addon.upstreams.set('a', failing);
  stage.addon.upstreams.set('c', failing);
  const protection = await stage.start({
    upstreams: [dot, corpDot],
    groups: { corp: { names: ['corp.example'], downgrade: 'fallback', rungs: ['tcp'] } },
  });
  expect(stage.addon.applied.at(-1)).toMatchObject({
    groups: [
      { id: '', rungs: [], hold: false },
      { id: 'corp', names: ['corp.example'], rungs: ['tcp'], hold: true },
    ],
    leases: [{ entry: 1, class: 'policy', group: 'corp' }],
  });
  expect(stage.view(protection).groups).toMatchObject([
    { id: '', state: { state: 'refusing' } },
    { id: 'corp', state: { state: 'exposed' } },
  ]);
});

test('stopped by a person: off ends it, on evaluates afresh', async () => {
  stage.addon.upstreams.set('a', failing);
  const protection = await stage.start({ downgrade: 'fallback' });
  await protection.turn({ protection: 'off', since: stage.now, who: 'me', until: null });
  expect(stage.entries()).toMatchObject([
    { class: 'off', closed: null },
    { class: 'policy', closed: 'switched off by me' },
  ]);
  await protection.turn({ protection: 'on', since: stage.now, who: 'me' });
  expect(stage.lastLeases()).toMatchObject([{ entry: 3, class: 'policy' }]);
});

test('a full disk: nothing leaves', async () => {
  stage.addon.upstreams.set('a', failing);
  const real = stage.ledger;
  stage.ledger = {
    ...real,
    openAll: () => {
      throw new Error('database or disk is full');
    },
  };
  const protection = await stage.start({ downgrade: 'fallback' });
  expect(stage.lastLeases()).toEqual([]);
  expect(stage.stateOf(protection)).toMatchObject({ state: 'refusing' });
  const applied = stage.addon.applied.length;
  await protection.tick();
  expect(stage.addon.applied).toHaveLength(applied);
  stage.ledger = real;
});

test('an engine that grants no lease is not asked every second, and nothing leaves', async () => {
  const protection = await stage.start({ downgrade: 'fallback' });
  const refusal = { code: 'lease', message: 'no slot', remedy: 'make room', path: 'leases[0]' };
  let asked = 0;
  stage.addon.onApply = () => {
    asked++;
    throw new Error(JSON.stringify(refusal));
  };
  stage.addon.upstreams.set('a', failing);
  for (let second = 0; second < 30; second++) {
    await protection.tick();
    stage.now += 1000;
  }
  expect([asked, stage.entries().map(({ closed }) => closed)]).toEqual([1, ['never in force']]);
  expect(stage.health.list()).toMatchObject([
    { code: 'ledger-unwritable', text: expect.stringMatching(/leases\[0\]: no slot; make room/) },
  ]);
  expect(stage.stateOf(protection)).toMatchObject({ state: 'refusing' });
  await protection.tick();
  expect(asked).toBe(2);
});

test('where the engine can’t listen any more, that is what is said until it can', async () => {
  const protection = await stage.start({ downgrade: 'fallback' });
  const refusal = { code: 'listen-failed', message: 'in use', remedy: 'move', path: 'listen[0]' };
  stage.addon.onApply = () => {
    throw new Error(JSON.stringify(refusal));
  };
  stage.addon.upstreams.set('a', failing);
  await protection.tick();
  expect(stage.health.list()).toMatchObject([
    { code: 'listen-failed', text: expect.stringMatching(/listen\[0\]: in use; move/) },
  ]);
  stage.addon.onApply = () => {};
  stage.now += 30_000;
  await protection.tick();
  expect(stage.health.list().map(({ code }) => code)).not.toContain('listen-failed');
});

test('after a restart under fallback: the old entry was interrupted, the new one is its own', async () => {
  stage.addon.upstreams.set('a', failing);
  await stage.start({ downgrade: 'fallback' });
  stage.restart(() => new Map([[1, 12]]));
  await stage.start({ downgrade: 'fallback' });
  expect(stage.entries()).toMatchObject([{ id: 1, count: 12, closed: 'interrupted' }]);
  expect(stage.lastLeases()).toEqual([]);
});

test('dialing into nothing is not starting for ever', async () => {
  stage.addon.upstreams.set('a', { state: 'dialing' });
  const protection = await stage.start({ downgrade: 'fallback' });
  expect(stage.stateOf(protection)).toEqual({ state: 'starting', upstream: 'A' });
  stage.now += 10_000;
  await protection.tick();
  expect(stage.stateOf(protection)).toMatchObject({ state: 'exposed' });
});

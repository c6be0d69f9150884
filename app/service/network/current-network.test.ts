import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CurrentNetwork, followNetwork, type NetworkChange } from './current-network.ts';
import {
  createFakeNetworkWatch,
  type FakeNetworkWatch,
  someSnapshot,
} from './fake-network-watch.ts';
import { createNetworkHandlers } from './network-handlers.ts';
import { type NetworkMemory, openNetworkMemory } from './network-memory.ts';
import { emptySnapshot } from './network-snapshot.ts';

const home = someSnapshot();
const unknown = someSnapshot({ gatewayMac: null });
const cafe = someSnapshot({ gatewayMac: '02:00:5e:00:00:99' });

let folder: string;
let watch: FakeNetworkWatch;
let memory: NetworkMemory;
let network: CurrentNetwork;
let changes: NetworkChange[];
let policyChanges: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sotto-network-'));
  watch = createFakeNetworkWatch(unknown);
  memory = openNetworkMemory(join(folder, 'networks.sqlite'), () => 7);
  network = followNetwork(watch, memory);
  changes = [];
  policyChanges = 0;
  network.onChange((change) => changes.push(change));
});

afterEach(() => {
  network.close();
  memory.close();
  rmSync(folder, { recursive: true, force: true });
});

const handlers = () =>
  createNetworkHandlers({
    network,
    memory,
    unavailable: null,
    onForgotten: () => {},
    onPolicyChange: () => {
      policyChanges += 1;
    },
    now: () => 7,
  });

test('a looser policy waits for an upstream that authenticates, at every visit anew', () => {
  watch.change(home);
  memory.set(network.stay().identity.id, { policy: 'fallback' });
  expect(network.policyHere('refuse')).toEqual({ policy: 'refuse', source: 'unconfirmed' });
  network.noteAuthenticated();
  expect(network.policyHere('refuse')).toEqual({ policy: 'fallback', source: 'network' });
  watch.change(cafe);
  expect(network.policyHere('refuse')).toEqual({ policy: 'refuse', source: 'settings' });
  watch.change(home);
  expect(network.policyHere('refuse')).toEqual({ policy: 'refuse', source: 'unconfirmed' });
  network.confirm();
  expect(network.policyHere('refuse')).toEqual({ policy: 'fallback', source: 'network' });
});

test('a stricter policy holds before the network is known for sure', () => {
  watch.change(home);
  memory.set(network.stay().identity.id, { policy: 'refuse' });
  watch.change(emptySnapshot);
  watch.change(unknown);
  expect(network.policyHere('fallback')).toEqual({ policy: 'refuse', source: 'network' });
});

test('nothing looser is taken from a network that could be many, whoever authenticates', () => {
  watch.change(home);
  memory.set(network.stay().identity.id, { policy: 'fallback' });
  watch.change(emptySnapshot);
  watch.change(unknown);
  network.noteAuthenticated();
  expect(network.policyHere('refuse')).toEqual({ policy: 'refuse', source: 'unconfirmed' });
});

test('what was proved before the hardware address was known is remembered with it', () => {
  network.noteAuthenticated();
  expect(memory.list()).toEqual([]);
  watch.change(home);
  expect(memory.list()).toMatchObject([{ authenticated: true }]);
  expect(changes).toMatchObject([{ moved: false, pathChanged: false }]);
});

test('moving is told, with whether connections are dead', () => {
  watch.change(home);
  watch.change(someSnapshot({ address: '192.0.2.9' }));
  watch.change(emptySnapshot);
  watch.change(cafe);
  expect(changes.map(({ moved, pathChanged }) => [moved, pathChanged])).toEqual([
    [false, false],
    [false, true],
    [true, true],
    [true, true],
  ]);
});

test('list, show, set and forget', () => {
  expect(handlers().list({})).toMatchObject({
    ok: true,
    value: { networks: [{ current: true, name: null }] },
  });
  watch.change(home);
  watch.change(cafe);
  const { id } = network.stay().identity;
  expect(handlers().set({ name: 'café' })).toMatchObject({ ok: true, value: { id, name: 'café' } });
  expect(policyChanges).toBe(0);
  expect(network.confirmed()).toBe(false);
  expect(handlers().set({ network: 'CAFÉ'.toLowerCase(), policy: 'fallback' })).toMatchObject({
    ok: true,
    value: { policy: 'fallback', name: 'café' },
  });
  expect(policyChanges).toBe(1);
  expect(network.policyHere('refuse').policy).toBe('fallback');
  expect(network.label()).toBe('café');
  expect(handlers().show({})).toMatchObject({
    ok: true,
    value: {
      network: { id, current: true },
      confirmed: true,
      links: [{ name: 'eth0', kind: 'ethernet', addresses: ['192.0.2.7/24'] }],
    },
  });
  const [, other] = memory.list();
  expect(handlers().show({ network: other?.id ?? '' })).toMatchObject({
    ok: true,
    value: { network: { current: false }, links: [], confirmed: false },
  });
  expect(handlers().forget({ network: 'café' })).toMatchObject({ ok: true, value: { id } });
  expect(policyChanges).toBe(2);
  expect(memory.find(id)).toBeNull();
});

test('what can’t be done is said with a remedy', () => {
  expect(handlers().set({ name: 'home' })).toMatchObject({
    ok: false,
    failure: { code: 'unknown-network', message: expect.stringMatching(/hardware address yet/) },
  });
  expect(handlers().show({ network: 'nowhere' })).toMatchObject({
    ok: false,
    failure: { message: 'no network "nowhere" is remembered', remedy: 'see: sotto network list' },
  });
  watch.change(home);
  handlers().set({ name: 'home' });
  watch.change(cafe);
  expect(handlers().set({ name: 'Home' })).toMatchObject({
    ok: false,
    failure: {
      subject: 'name',
      message: expect.stringMatching(/another network is called "home"/),
    },
  });
  watch.change(emptySnapshot);
  expect(handlers().show({})).toMatchObject({
    ok: false,
    failure: { message: 'this machine is on no network now' },
  });
});

test('a network is one of those named once it is certain which it is, and something proved it', () => {
  const { id } = network.stay().identity;
  expect(network.isNetwork(['Office'])).toBe('unknown');
  watch.change(home);
  const now = network.stay().identity.id;
  expect(id).not.toBe(now);
  memory.set(now, { name: 'Home' });
  expect(network.isNetwork(['Office'])).toBe('no');
  for (const reference of [now, 'Home', 'home'])
    expect(network.isNetwork(['Office', reference]), reference).toBe('unknown');
  network.noteAuthenticated();
  expect(network.isNetwork(['Office', 'Home'])).toBe('yes');
  watch.change(cafe);
  expect(network.isNetwork(['Home'])).toBe('no');
  watch.change(home);
  expect(network.isNetwork(['Home'])).toBe('unknown');
});

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { filesWith } from '../base/octets-fixture.ts';
import { someSnapshot } from './fake-network-watch.ts';
import { identify } from './network-identity.ts';
import { type NetworkMemory, openNetworkMemory } from './network-memory.ts';
import { emptySnapshot } from './network-snapshot.ts';

let folder: string;
let file: string;
let memory: NetworkMemory;
let time: number;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sotto-networks-'));
  file = join(folder, 'state', 'networks.sqlite');
  time = 1000;
  memory = open();
});

afterEach(() => {
  memory.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = (most?: number) => openNetworkMemory(file, () => time, most);
const router = (number: number) =>
  identify(someSnapshot({ gatewayMac: `02:00:5e:00:00:${number}` }));
const home = router(10);

test('a network seen is remembered, over restarts, for its owner alone', () => {
  memory.saw(home);
  time = 2000;
  memory.saw(home);
  memory.authenticated(home.id);
  memory.set(home.id, { name: 'home', policy: 'refuse' });
  memory.close();
  memory = open();
  expect(memory.list()).toEqual([
    {
      id: home.id,
      name: 'home',
      label: '192.0.2.0/24 via 192.0.2.1 on eth0',
      hints: home.hints,
      policy: 'refuse',
      authenticated: true,
      firstSeen: 1000,
      lastSeen: 2000,
    },
  ]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('what is no network, or could be many, is not remembered', () => {
  memory.saw(identify(emptySnapshot));
  memory.saw(identify(someSnapshot({ gatewayMac: null })));
  expect(memory.list()).toEqual([]);
});

test('name and policy are set, kept and taken away one by one', () => {
  memory.saw(home);
  memory.set(home.id, { name: 'home' });
  memory.set(home.id, { policy: 'warn' });
  expect(memory.findByName('HOME')).toMatchObject({ id: home.id, policy: 'warn' });
  memory.set(home.id, { name: null });
  expect(memory.find(home.id)).toMatchObject({ name: null, policy: 'warn' });
  memory.forget(home.id);
  expect(memory.find(home.id)).toBeNull();
});

test('the oldest without a name or a policy leave', () => {
  memory.close();
  memory = open(3);
  for (let number = 10; number < 20; number += 1) {
    time += 1;
    memory.saw(router(number));
    if (number === 10) memory.set(router(10).id, { name: 'home' });
    if (number === 11) memory.set(router(11).id, { policy: 'refuse' });
  }
  const kept = [19, 18, 17, 11, 10].map((number) => router(number).id);
  expect(memory.list().map(({ id }) => id)).toEqual(kept);
});

test('a network that could be many is met as strictly as the strictest of them', () => {
  const unsettled = identify(someSnapshot({ gatewayMac: null }));
  expect(memory.policyFor(unsettled)).toBeNull();
  const policies = ['fallback', 'warn', 'refuse'] as const;
  for (const [index, policy] of policies.entries()) {
    memory.saw(router(10 + index));
    memory.set(router(10 + index).id, { policy });
    expect(memory.policyFor(unsettled)).toBe(policy);
  }
  expect(memory.policyFor(router(10))).toBe('fallback');
  const elsewhere = identify(someSnapshot({ gatewayMac: null, gateway: '192.0.2.9' }));
  expect(memory.policyFor(elsewhere)).toBeNull();
});

test('a damaged file is put aside', () => {
  memory.close();
  rmSync(`${file}-wal`, { force: true });
  writeFileSync(file, 'this is no database, and long enough to be told from one');
  memory = open();
  expect(memory.list()).toEqual([]);
  expect(statSync(`${file}.damaged`).isFile()).toBe(true);
});

test('answers about names stay with their network, and go with it', () => {
  memory.saw(home);
  memory.saw(router(11));
  memory.answer(home.id, 'corp.example', { believe: true, who: 'ann' });
  memory.answer('link:tun0', 'corp.example', { believe: false, who: 'ann' });
  memory.answer(home.id, 'corp.example', { believe: false, who: 'bob' });
  memory.close();
  memory = open(1);
  expect(memory.answerTo(home.id, 'corp.example')).toEqual({ believe: false, who: 'bob' });
  expect(memory.answerTo(router(11).id, 'corp.example')).toBeNull();
  expect(memory.answered()).toContain('corp.example');
  for (let number = 20; number < 24; number += 1) memory.saw(router(number));
  expect(memory.find(home.id), 'only a person makes answers').not.toBeNull();
  memory.forget(home.id);
  expect(memory.answerTo(home.id, 'corp.example')).toBeNull();
  expect(memory.answerTo('link:tun0', 'corp.example')).toEqual({ believe: false, who: 'ann' });
});

test('nobody else reads it meanwhile, so that nobody keeps what is forgotten in its files', () => {
  memory.saw(home);
  memory.set(home.id, { name: 'zapfenhof' });
  const reader = new Database(file, { readonly: true, timeout: 0 });
  expect(() => reader.exec('BEGIN; SELECT * FROM networks')).toThrow('locked');
  memory.forget(home.id);
  expect(filesWith('zapfenhof', folder)).toEqual([]);
  reader.close();
});

test('where somebody else reads it already, it is not opened', () => {
  memory.saw(home);
  memory.close();
  const reader = new Database(file, { timeout: 0 });
  reader.exec('BEGIN; SELECT * FROM networks');
  expect(open).toThrow('locked');
  reader.close();
  memory = open();
  expect(memory.find(home.id)).not.toBeNull();
});

test('a network that is forgotten is in no file any more', () => {
  // enough that pages are divided and joined
  const places = Array.from({ length: 400 }, (_, number) =>
    identify(
      someSnapshot({
        gatewayMac: `02:00:5e:00:${String(10 + (number >> 6))}:${10 + (number & 63)}`,
      }),
    ),
  );
  for (const place of places) {
    memory.saw(place);
    memory.set(place.id, { name: `zapfenhof ${place.id}` });
    memory.answer(place.id, `zapfen-${place.id}.example`, { believe: true, who: 'ann' });
  }
  expect(filesWith('zapfen', folder)).toContain('state/networks.sqlite-wal');
  writeFileSync(`${file}.damaged`, 'zapfenhof');
  const [kept, ...others] = [...new Set(places.map(({ id }) => id))];
  memory.set(kept ?? '', { name: 'home' });
  for (const id of [...others, kept ?? '']) memory.forget(id);
  expect(memory.list()).toEqual([]);
  expect(filesWith('zapfen', folder)).toEqual([]);
});

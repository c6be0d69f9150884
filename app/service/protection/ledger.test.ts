import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { filesWith } from '../base/octets-fixture.ts';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { openLedger } from './ledger.ts';
import type { Permission } from './permissions.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const bypass: Permission = {
  class: 'bypass',
  network: 'any',
  networkLabel: 'any network',
  group: '',
  rule: 'corp.example',
  reason: 'bypass rule',
  who: 'your settings',
  until: null,
};

test('an entry is opened, counted and closed', () => {
  let now = 100;
  const ledger = openLedger(join(folder.path, 'state', 'ledger.sqlite'), () => now);
  const entry = ledger.open(bypass);
  expect(entry).toEqual({ ...bypass, id: 1, since: 100, count: 0, closed: null });
  ledger.setCount(1, 5);
  ledger.setCount(1, 3);
  expect(ledger.standing()).toEqual([{ ...entry, count: 5 }]);
  now = 200;
  ledger.close(1, 'the settings changed');
  expect(ledger.standing()).toEqual([]);
  expect(ledger.list({ limit: 10 })).toEqual([
    { ...entry, count: 5, until: 200, closed: 'the settings changed' },
  ]);
  expect(ledger.open(bypass).id).toBe(2);
  ledger.release();
});

test('an entry of a list of rules keeps them all, and each list once', () => {
  const file = join(folder.path, 'ledger.sqlite');
  const ledger = openLedger(file, () => 100);
  const list = { ...bypass, rule: 'list:1', rules: 'a.example\nb.example' };
  const [entry] = ledger.openAll([list]);
  expect(entry).not.toHaveProperty('rules');
  expect(ledger.rulesIn('list:1')).toBe('a.example\nb.example');
  expect(ledger.rulesIn('list:2')).toBeNull();
  ledger.close(1, 'the settings changed');
  ledger.openAll([list]);
  ledger.release();
  const database = new Database(file);
  expect(database.prepare('SELECT count(*) FROM lists').pluck().get()).toBe(1);
  database.close();
});

test('a list says since when it is complete', () => {
  let now = 100;
  const file = join(folder.path, 'ledger.sqlite');
  const ledger = openLedger(file, () => now);
  expect(ledger.completeSince(0)).toBe(100);
  now = 200;
  ledger.open(bypass);
  ledger.close(1, 'the settings changed', 250);
  ledger.open(bypass);
  expect(ledger.completeSince(2), 'an entry before it ended then').toBe(250);
  expect(ledger.completeSince(1)).toBe(100);
  ledger.release();
  const again = openLedger(file, () => 900);
  expect(again.completeSince(1), 'it is remembered').toBe(100);
  again.release();
});

test('a ledger of an earlier version began with its first entry', () => {
  const file = join(folder.path, 'ledger.sqlite');
  const ledger = openLedger(file, () => 300);
  ledger.open(bypass);
  ledger.release();
  const database = new Database(file);
  database.exec('DROP TABLE begun');
  database.close();
  const later = openLedger(file, () => 900);
  expect(later.completeSince(0)).toBe(300);
  later.release();
});

test('what a crash left open is closed as interrupted; ids are never used twice', () => {
  const file = join(folder.path, 'ledger.sqlite');
  const before = openLedger(file, () => 1);
  before.open(bypass);
  before.setCount(1, 2);
  before.release();
  const after = openLedger(file, () => 9);
  expect(after.list({ limit: 1 })).toMatchObject([
    { id: 1, closed: 'interrupted', until: 9, count: 2 },
  ]);
  expect(after.open(bypass).id).toBe(2);
  after.release();
});

test('what was counted last is read when nobody else can count any more', () => {
  const file = join(folder.path, 'ledger.sqlite');
  const ledger = openLedger(
    file,
    () => 1,
    () => {
      expect(() => openLedger(file, () => 1)).toThrow(
        expect.objectContaining({ code: 'SQLITE_BUSY' }),
      );
      return new Map();
    },
  );
  expect.assertions(1);
  ledger.release();
});

test('a second service cannot open it', () => {
  const file = join(folder.path, 'ledger.sqlite');
  const first = openLedger(file, () => 1);
  first.open(bypass);
  expect(() => openLedger(file, () => 1)).toThrow(expect.objectContaining({ code: 'SQLITE_BUSY' }));
  expect(first.standing()).toHaveLength(1);
  first.release();
});

test('the end of an entry can be put off, on disk; one that is closed stays closed', () => {
  const file = join(folder.path, 'ledger.sqlite');
  const ledger = openLedger(file, () => 5);
  ledger.open({ ...bypass, until: 10 });
  ledger.extend(1, 20);
  expect(ledger.standing()).toMatchObject([{ until: 20 }]);
  ledger.close(1, 'over');
  ledger.extend(1, 30);
  expect(ledger.list({ limit: 1 })).toMatchObject([{ until: 5, closed: 'over' }]);
  ledger.release();
});

test('classes are kept apart, and pages', () => {
  const ledger = openLedger(join(folder.path, 'ledger.sqlite'), () => 1);
  ledger.open(bypass);
  ledger.open({ ...bypass, class: 'off', rule: '' });
  expect(ledger.list({ limit: 9, class: 'off' })).toMatchObject([{ id: 2 }]);
  expect(ledger.list({ limit: 9, class: 'policy' })).toEqual([]);
  expect(ledger.list({ limit: 9, beforeId: 2 })).toMatchObject([{ id: 1 }]);
  expect(ledger.list({ limit: 9, class: 'off', beforeId: 2 })).toEqual([]);
  ledger.release();
});

test('followers hear of every change, and of nothing that is none', () => {
  const ledger = openLedger(join(folder.path, 'ledger.sqlite'), () => 1);
  const heard: string[] = [];
  const end = ledger.follow(({ id, count, until, closed }) =>
    heard.push([id, count, until, closed].join(' ')),
  );
  ledger.open({ ...bypass, until: 10 });
  ledger.setCount(1, 3);
  ledger.setCount(1, 3);
  ledger.extend(1, 20);
  ledger.close(1, 'over');
  ledger.close(1, 'again');
  end();
  ledger.open(bypass);
  expect(heard).toEqual(['1 0 10 ', '1 3 10 ', '1 3 20 ', '1 3 1 over']);
  ledger.release();
});

test('a network that is forgotten is in no file; what its entries were, and how much, stays', () => {
  let now = 0;
  const ledger = openLedger(join(folder.path, 'state', 'ledger.sqlite'), () => ++now);
  const there = { ...bypass, network: 'zapfen-id', networkLabel: 'Zapfenhof' };
  for (let count = 0; count < 300; count++) {
    const { id } = ledger.open({ ...there, who: 'what was set for the network Zapfenhof' });
    ledger.close(id, 'the network changed');
    const elsewhere = ledger.open(bypass);
    ledger.close(elsewhere.id, 'the network changed');
  }
  const login = { ...there, class: 'portal', rule: 'Zapfenhof.example' } as const;
  ledger.close(ledger.open({ ...login, reason: 'login page of Zapfenhof' }).id, 'done');
  const { id } = ledger.open(there);
  ledger.setCount(id, 7);
  const told: number[] = [];
  ledger.follow((entry) => told.push(entry.id));
  ledger.forgetNetwork('zapfen-id');
  expect(told).toHaveLength(301);
  ledger.close(id, 'the network changed');
  expect(ledger.list({ limit: 1 })).toMatchObject([
    { id, class: 'bypass', network: '', networkLabel: '', count: 7 },
  ]);
  expect(ledger.list({ limit: 1000 })).toHaveLength(602);
  for (const text of ['Zapfenhof', 'zapfen-id']) expect(filesWith(text, folder.path)).toEqual([]);
  ledger.release();
});

test('several permissions stand in it in one write, or none does', () => {
  const ledger = openLedger(join(folder.path, 'state', 'ledger.sqlite'), () => 1);
  const others = ['b.example', 'c.example'].map((rule) => ({ ...bypass, rule }));
  expect(ledger.openAll(others).map(({ rule }) => rule)).toEqual(['b.example', 'c.example']);
  expect(ledger.standing()).toHaveLength(2);
  const wrong = { ...bypass, class: null as never };
  expect(() => ledger.openAll([bypass, wrong])).toThrow();
  expect(ledger.standing()).toHaveLength(2);
});

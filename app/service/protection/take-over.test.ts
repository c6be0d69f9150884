import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { openLedger } from './ledger.ts';
import { takeOverLedger } from './take-over.ts';

let folder: TestFolder;
beforeEach(() => {
  folder = testFolder();
});
afterEach(() => folder.remove());

const at = (name: string) => join(folder.path, name);
const paths = () => ({
  ledgerFile: at('ledger.sqlite'),
  countsFile: at('leases.counts'),
  serviceDownFile: at('service-down.journal'),
});

const bypass = {
  class: 'bypass',
  network: 'cafe',
  networkLabel: 'the café',
  group: '',
  rule: 'corp.example',
  reason: 'bypass rule',
  who: 'your settings',
  until: null,
} as const;

/** Leaves the entries of a service that was killed. */
function leaveOpen(howMany: number): void {
  const ledger = openLedger(paths().ledgerFile, () => 1);
  for (let index = 0; index < howMany; index++) ledger.open(bypass);
  ledger.release();
}

function counts(slots: Record<number, bigint>, octets = 65_536): Buffer {
  const file = Buffer.alloc(octets);
  Object.entries(slots).forEach(([entry, count], index) => {
    file.writeBigUInt64LE(BigInt(entry), index * 48);
    file.writeBigUInt64LE(count, index * 48 + 8);
  });
  return file;
}

function takeOver(): { entries: LedgerEntry[]; trouble: string | null } {
  const taken = takeOverLedger(paths(), () => 9);
  if (!taken.ok) throw new Error(taken.failure.message);
  const { ledger, trouble } = taken.value;
  const entries = ledger.list({ limit: 99 });
  ledger.release();
  return { entries, trouble };
}

test('nothing is there: nothing is taken over', () => {
  expect(takeOver()).toEqual({ entries: [], trouble: null });
});

test('counts are written into the entries they are of, which were interrupted', () => {
  leaveOpen(3);
  writeFileSync(paths().countsFile, counts({ 1: 5n, 3: 70_000n, 999: 4n }));
  const { entries, trouble } = takeOver();
  expect(trouble).toBeNull();
  expect(entries.map(({ id, count, closed, until }) => [id, count, closed, until])).toEqual([
    [3, 70_000, 'interrupted', 9],
    [2, 0, 'interrupted', 9],
    [1, 5, 'interrupted', 9],
  ]);
  expect(existsSync(paths().countsFile)).toBe(false);
});

test('a count never falls, and one of an entry that was closed before is left alone', () => {
  const ledger = openLedger(paths().ledgerFile, () => 1);
  ledger.open(bypass);
  ledger.setCount(1, 8);
  ledger.open(bypass);
  ledger.close(2, 'the settings changed');
  ledger.release();
  writeFileSync(paths().countsFile, counts({ 1: 7n, 2: 3n }));
  expect(takeOver().entries).toMatchObject([
    { id: 2, count: 0, closed: 'the settings changed' },
    { id: 1, count: 8 },
  ]);
});

test.each([
  ['a short file', counts({ 1: 5n }, 40), /has 40 octets instead of 65536/, 5],
  ['an empty file', Buffer.alloc(0), /has 0 octets/, 0],
  [
    'a count that is none',
    counts({ 1: 2n ** 60n, 2: 6n }),
    /^1 of the counts .* are not counts/,
    0,
  ],
])('%s is no crash, and told', (_what, octets, trouble, count) => {
  leaveOpen(1);
  writeFileSync(paths().countsFile, octets);
  const taken = takeOver();
  expect(taken.trouble).toMatch(trouble);
  expect(taken.entries).toMatchObject([{ id: 1, count, closed: 'interrupted' }]);
});

test('a service that is killed loses no entry it had opened', async () => {
  const program = fileURLToPath(new URL('./ledger-crash-fixture.ts', import.meta.url));
  const child = spawn(process.execPath, [program, paths().ledgerFile]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  const opened: string[] = [];
  for (const rule of ['a.example', 'b.example', 'c.example']) {
    child.stdin.write(`${rule}\n`);
    opened.push((await lines.next()).value as string);
  }
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
  expect(opened).toEqual(['1', '2', '3']);
  const { entries } = takeOver();
  expect(entries.map(({ id, rule, closed }) => [id, rule, closed])).toEqual([
    [3, 'c.example', 'interrupted'],
    [2, 'b.example', 'interrupted'],
    [1, 'a.example', 'interrupted'],
  ]);
});

test('times in which Sotto did not run become entries, once, and the journal is emptied', () => {
  const journal = paths().serviceDownFile;
  const told = { since: 3, until: null, reason: 'it crashed three times', count: null };
  const later = { since: 3, until: 5, reason: 'it crashed three times', count: null };
  const other = { since: 6, until: null, reason: 'it crashed again', count: 2 };
  writeFileSync(journal, [told, later, other].map((line) => JSON.stringify(line)).join('\n'));
  const first = takeOver();
  expect(first.trouble).toBeNull();
  expect(first.entries).toMatchObject([
    { class: 'service-down', since: 6, until: 9, count: 2, closed: 'Sotto runs again' },
    { class: 'service-down', since: 3, until: 5, count: null, who: 'the guardian' },
  ]);
  expect(readFileSync(journal, 'utf8')).toBe('');

  writeFileSync(journal, `${JSON.stringify({ ...other, until: 8 })}\n`);
  expect(takeOver().entries).toMatchObject([{ since: 6, until: 8 }, { since: 3 }]);
});

test('lines of the journal that say nothing are told, the others hold', () => {
  const good = JSON.stringify({ since: 3, until: 4, reason: 'r', count: null });
  writeFileSync(paths().serviceDownFile, `${good}\n{"since":5,"unt`);
  const { entries, trouble } = takeOver();
  expect(trouble).toMatch(/^1 lines of .*service-down\.journal are no entries/);
  expect(entries).toHaveLength(1);
});

test('a ledger of the version before keeps its entries and goes on with their ids', async () => {
  const { default: Database } = await import('better-sqlite3');
  const old = new Database(paths().ledgerFile);
  old.exec(`
    CREATE TABLE entries (
      id INTEGER PRIMARY KEY AUTOINCREMENT, class TEXT NOT NULL, network TEXT NOT NULL, rule TEXT NOT NULL,
      reason TEXT NOT NULL, who TEXT NOT NULL, since REAL NOT NULL, until REAL, count INTEGER NOT NULL DEFAULT 0,
      closed TEXT
    ) STRICT;
    CREATE INDEX standing ON entries (id) WHERE closed IS NULL;
    INSERT INTO entries (id, class, network, rule, reason, who, since, count)
      VALUES (4, 'off', 'any', '', 'r', 'me', 1, 6), (5, 'off', 'any', '', 'r', 'me', 2, 7);
    DELETE FROM entries WHERE id = 5;
  `);
  old.close();
  const ledger = openLedger(paths().ledgerFile, () => 9);
  expect(ledger.list({ limit: 9 })).toMatchObject([
    { id: 4, class: 'off', networkLabel: 'any', group: '', count: 6, closed: 'interrupted' },
  ]);
  expect(ledger.open(bypass).id).toBe(6);
  ledger.release();
});

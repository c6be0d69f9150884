/** The audit log on a disk that fills up, over crashes at every octet, and beside others who write to its file. */
import {
  appendFileSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { type AuditFiles, auditFiles } from './audit-files.ts';
import { type AuditLog, type AuditLogParts, openAuditLog } from './audit-log.ts';
import { judgeChain, noRecords, sha256 } from './chain.ts';
import { mostOfAKind } from './limit-deeds.ts';
import { mostAnHour, mostOfAll, mostOfTheSame } from './limit-refusals.ts';

let folder: TestFolder;
let file = '';
let later: (() => void)[] = [];
let elapsed = 0;

beforeEach(() => {
  folder = testFolder();
  file = `${folder.path}/audit.jsonl`;
  later = [];
  elapsed = 0;
  onTestFinished(() => folder.remove());
});

function open(more: Partial<AuditLogParts> = {}): AuditLog {
  return openAuditLog({
    files: auditFiles(file),
    now: () => Date.UTC(2026, 10, 1) + elapsed,
    elapsed: () => elapsed,
    later: (run) => later.push(run),
    ...more,
  });
}

const left = (log: AuditLog, id: string) => log.note(['profile-left', { profile: id }]);
const everything = { limit: 1000 };
const events = (log: AuditLog) => log.read(everything).map(({ event }) => event);

function whole(): Buffer {
  const files = auditFiles(file);
  return Buffer.concat([...files.older().map((path) => files.read(path)), files.present()]);
}

test('records are on the disk in order, for their owner only, and the head is that of the file', () => {
  const log = open();
  expect(log.head()).toEqual(noRecords);
  for (const id of ['a', 'b', 'c']) left(log, id);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const judged = judgeChain(readFileSync(file));
  expect([judged.broken, judged.head]).toEqual([null, log.head()]);
  expect(open().head()).toEqual(log.head());
  expect(log.read({ limit: 2 }).map(({ fields }) => fields['profile'])).toEqual(['b', 'c']);
  expect(log.read({ limit: 2, before: 3 }).map(({ seq }) => seq)).toEqual([1, 2]);
});

test('the next start goes on where the last one ended', () => {
  left(open(), 'a');
  left(open(), 'b');
  expect(judgeChain(whole())).toMatchObject({ broken: null, head: { records: 2 } });
});

test('a crash at any octet of a record is told, and the chain goes on', () => {
  const log = open();
  left(log, 'a');
  const before = statSync(file).size;
  left(log, 'b');
  const octets = readFileSync(file);
  for (let size = before; size < octets.length; size += 1) {
    writeFileSync(file, octets.subarray(0, size));
    const next = open();
    left(next, 'c');
    const judged = judgeChain(readFileSync(file));
    expect([size, judged.broken, judged.torn]).toEqual([size, null, 0]);
    const [isWhole, isTorn] = [size === octets.length - 1, size > before];
    const second = isWhole ? ['profile-left'] : isTorn ? ['interrupted'] : [];
    expect(events(next)).toEqual(['profile-left', ...second, 'profile-left']);
    expect(judged.head).toEqual(next.head());
  }
});

test('a crash while the crash before is told is told as well', () => {
  left(open(), 'a');
  appendFileSync(file, '{"seq":2');
  for (let crash = 0; crash < 4; crash += 1) {
    const size = statSync(file).size;
    left(open(), 'b');
    truncateSync(file, size + 5);
  }
  left(open(), 'c');
  const judged = judgeChain(readFileSync(file));
  expect([judged.broken, judged.torn]).toEqual([null, 0]);
  expect(judged.records.map(({ event }) => event)).toEqual([
    'profile-left',
    'interrupted',
    'profile-left',
  ]);
});

/** A disk that takes `room` octets more, and a part of what is too much. */
function fullDisk(room: { octets: number }, canCut: boolean): AuditFiles {
  const files = auditFiles(file);
  return {
    ...files,
    append(octets, size) {
      if (octets.length <= room.octets) {
        room.octets -= octets.length;
        return files.append(octets, size);
      }
      if (room.octets > 0) files.append(octets.subarray(0, room.octets), size);
      if (canCut && room.octets > 0) truncateSync(file, size);
      if (!canCut) room.octets = 0;
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
    },
  };
}

test.each([true, false])(
  'a full disk is told, and what happened meanwhile is written later: %s',
  (canCut) => {
    const room = { octets: 1000 };
    const log = open({ files: fullDisk(room, canCut) });
    const told: unknown[] = [];
    log.onTrouble(({ stopped }) => told.push(stopped));
    for (let index = 0; index < 20; index += 1) left(log, String(index));
    expect(told.at(-1)).toBe('the disk is full');
    const kept = log.head();
    expect(kept.records).toBeLessThan(20);
    expect(judgeChain(readFileSync(file)).head).toEqual(kept);

    room.octets = 1_000_000;
    later.shift()?.();
    expect(told.at(-1)).toBeNull();
    const judged = judgeChain(readFileSync(file));
    expect([judged.broken, judged.torn, judged.head]).toEqual([null, 0, log.head()]);
    const ids = log.read(everything).flatMap(({ fields }) => fields['profile'] ?? []);
    expect(ids).toEqual(Array.from({ length: 20 }, (_, index) => String(index)));
  },
);

test('what had to be given up on a full disk is counted', () => {
  const room = { octets: 0 };
  const log = open({ files: fullDisk(room, true) });
  for (let index = 0; index < 1010; index += 1) left(log, String(index));
  room.octets = 10_000_000;
  later.shift()?.();
  expect(log.read(everything).at(-1)).toMatchObject({
    event: 'records-lost',
    fields: { count: 10 },
  });
});

test('a full file is moved away, the oldest is erased, and the chain goes from file to file', () => {
  const log = open({ mostOctets: 1000, mostOlder: 3 });
  for (let index = 0; index < 60; index += 1) left(log, String(index));
  const files = auditFiles(file);
  expect(files.older()).toHaveLength(3);
  const judged = judgeChain(whole());
  expect([judged.broken, judged.head]).toEqual([null, log.head()]);
  expect(log.head().records).toBe(60);
  expect(judged.before.records).toBeGreaterThan(30);
  expect(log.read({ limit: 10 }).map(({ seq }) => seq)).toEqual([
    51, 52, 53, 54, 55, 56, 57, 58, 59, 60,
  ]);
});

test('a crash between moving a file away and the next record loses nothing', () => {
  const log = open();
  left(log, 'a');
  auditFiles(file).moveAway(1, 3);
  const next = open();
  expect(next.head()).toEqual(log.head());
  left(next, 'b');
  expect(judgeChain(whole())).toMatchObject({ broken: null, head: { records: 2 } });
});

test('a file that was changed is told at the next start, and goes on being found', () => {
  const log = open();
  for (const id of ['a', 'b', 'c']) left(log, id);
  writeFileSync(file, readFileSync(file, 'utf8').replace('"profile":"b"', '"profile":"x"'));
  const next = open();
  const told: unknown[] = [];
  left(next, 'd');
  next.onTrouble(({ broken }) => told.push(broken));
  expect(told).toEqual([expect.stringContaining('line 3')]);
  expect(events(next)).toContain('chain-broken');
  expect(judgeChain(readFileSync(file)).broken).toMatchObject({ line: 3 });
});

test.each([
  ['another record', () => appendFileSync(file, `${readFileSync(file, 'utf8').split('\n')[0]}\n`)],
  ['a shorter file', () => truncateSync(file, 0)],
  ['no file', () => folder.remove()],
])('while the service runs, %s is noticed with the next record', (_name, change) => {
  const log = open();
  left(log, 'a');
  left(log, 'b');
  const before = log.head();
  change();
  left(log, 'c');
  const judged = judgeChain(readFileSync(file));
  expect(judged.records.slice(-2)).toMatchObject([
    { event: 'chain-broken', seq: 3, prev: before.hash },
    { event: 'profile-left', seq: 4 },
  ]);
});

test('a link in the place of the file is not followed', () => {
  symlinkSync(folder.write('elsewhere', ''), file);
  const log = open();
  const told: unknown[] = [];
  log.onTrouble(({ stopped }) => told.push(stopped));
  left(log, 'a');
  expect(told.at(-1)).toBe('its symbolic links lead in a circle');
});

const switched = (log: AuditLog, account: number, to = 'off') =>
  log.note(['protection-switched', { to, minutes: null }], { account, isTrusted: false });

test('of one kind, an account gets a few records an hour; the rest is counted, with the last one', () => {
  const log = open();
  const set = (value: string) =>
    log.note(['setting-changed', { setting: 'downgrade', value }], {
      account: 1000,
      isTrusted: false,
    });
  for (let index = 0; index < 20_000; index += 1) set(index % 2 === 0 ? 'refuse' : 'warn');
  set('fallback');
  expect(log.head().records).toBe(mostOfAKind);
  elapsed = 3_600_000;
  set('refuse');
  expect(log.read({ limit: 2 })).toMatchObject([
    {
      event: 'deeds-left-out',
      who: 1000,
      fields: {
        event: 'setting-changed',
        count: 20_001 - mostOfAKind,
        last: ['setting downgrade', 'value fallback'],
      },
    },
    { event: 'setting-changed', who: 1000 },
  ]);
});

test('no flood of one kind hides another kind, nor what somebody else did', () => {
  const log = open();
  for (let index = 0; index < 1000; index += 1) switched(log, 1001, 'on');
  switched(log, 1001);
  switched(log, 1003);
  const told = log.read(everything).map(({ who, fields }) => [who, fields['to']]);
  expect(told.slice(-2)).toEqual([
    [1001, 'off'],
    [1003, 'off'],
  ]);
  expect(told).toHaveLength(mostOfAKind + 2);
});

test('being refused takes no place from what was done', () => {
  const log = open();
  for (let account = 1001; account < 1009; account += 1)
    for (let index = 0; index < 100; index += 1)
      log.note(['change-refused', { method: 'x', setting: `${index}`, code: 'forbidden' }], {
        account,
        isTrusted: false,
      });
  expect(log.head().records).toBe(mostOfAll);
  switched(log, 1001);
  log.note(['consent-allowed', { request: 'x', group: '', minutes: 60 }], {
    account: 1003,
    isTrusted: false,
  });
  expect(events(log).slice(mostOfAll)).toEqual(['protection-switched', 'consent-allowed']);
});

test('what was only counted is told when the service ends', () => {
  const log = open();
  for (let index = 0; index < mostOfAKind + 2; index += 1) switched(log, 1001);
  log.end();
  expect(log.read({ limit: 1 })).toMatchObject([
    { event: 'deeds-left-out', who: 1001, fields: { count: 2, last: ['to off'] } },
  ]);
});

test('no role pushes out what was decided by being refused: the same again is counted, and others have a limit', () => {
  const log = open();
  const administrator = { account: 1000, isTrusted: false };
  const refused = (code: string, cause = administrator) =>
    log.note(['change-refused', { method: 'settings.set', setting: 'downgrade', code }], cause);
  left(log, 'decided');
  for (let index = 0; index < 20_000; index += 1) refused('setting-locked');
  expect(log.head().records).toBe(1 + mostOfTheSame);
  for (let index = 0; index < 20_000; index += 1) refused(`code-${index}`);
  expect(log.head().records).toBe(1 + mostAnHour);
  left(log, 'decided meanwhile');
  for (let account = 0; account < 1000; account += 1)
    refused('forbidden', { account, isTrusted: false });
  expect(log.head().records).toBe(2 + mostOfAll);
  elapsed = 3_600_000;
  const told = log.read(everything);
  expect(told.length).toBeLessThan(2 + mostOfAll + 20);
  expect(told.filter(({ event }) => event === 'profile-left')).toHaveLength(2);
  expect(told).toContainEqual(
    expect.objectContaining({
      event: 'refusals-left-out',
      who: 1000,
      fields: { count: 40_000 - mostAnHour },
    }),
  );
});

test('the hash of a record is that of its line, as any other program computes it', () => {
  const log = open();
  left(log, 'Größe \u2028 "x"');
  const [line = ''] = readFileSync(file, 'utf8').split('\n');
  expect(log.head().hash).toBe(sha256(Buffer.from(line, 'utf8')));
  expect(judgeChain(readFileSync(file)).broken).toBeNull();
});

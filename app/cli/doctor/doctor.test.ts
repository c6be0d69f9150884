/** The findings of each check for given facts. run.test.ts tests with a real service that the checks get the right facts. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeHealthIssue, type HealthIssue } from '../../contract/status/health-issue.ts';
import type { NetworkEntry } from '../../contract/system/network.ts';
import { judgeClock } from '../../service/doctor/clock-check.ts';
import { judgeDisk, judgeLog } from '../../service/doctor/disk-check.ts';
import {
  judgeLedgerFile,
  type LedgerFile,
  readLedgerFile,
} from '../../service/doctor/ledger-file-check.ts';
import { judgeAddress } from '../../service/doctor/listening-check.ts';
import {
  judgeReceiveBuffer,
  judgeSystemResolvers,
  readSockets,
} from '../../service/doctor/machine-check.ts';
import { judgeNetwork } from '../../service/doctor/network-check.ts';
import { checkRebinding, judgeRebinding } from '../../service/doctor/rebinding-check.ts';
import { someEvent, someReport } from '../fixtures/made-up.ts';
import { judgeNode } from './installation-check.ts';
import { judgeSettings } from './settings-check.ts';

const home: NetworkEntry = {
  id: '3f2a9c01b7de',
  name: 'home',
  label: '192.0.2.0/24 on eth0',
  hints: { interface: 'eth0', gateway: null, gatewayMac: null, prefix: null, domain: null },
  policy: 'refuse',
  authenticated: true,
  firstSeen: 1,
  lastSeen: 1,
  current: true,
};
const summer = Date.UTC(2026, 6, 1);
const megabyte = 1_000_000;

test.each([
  ['24.0.1', 'ok'],
  ['25.1.0', 'ok'],
  ['20.19.0', 'fail'],
])('Node.js %s: %s', (version, verdict) => {
  expect(judgeNode(version)).toMatchObject({ verdict });
});

test('settings: each error by line and field, policies as notes', () => {
  const read = { exists: true, settings: null, upstreams: [], notes: ['p.json a: b'] };
  const problems = [{ file: 's.json', path: 'cache.entries', line: 3, reason: 'too small' }];
  expect(judgeSettings('s.json', { ...read, problems })).toMatchObject([
    { verdict: 'fail', text: 's.json:3: cache.entries: too small' },
    { check: 'policy', verdict: 'warn', text: 'p.json a: b' },
  ]);
  const missing = { exists: false, settings: null, upstreams: [], notes: [], problems: [] };
  expect(judgeSettings('s.json', missing)).toMatchObject([
    { verdict: 'ok', text: 'There is no s.json; the defaults hold.' },
  ]);
});

test.each([
  [null, 'ok', / is free/],
  ['EADDRINUSE', 'fail', /taken by another program/],
  ['EACCES', 'fail', /not permitted/],
  ['EADDRNOTAVAIL', 'fail', /not an address of this machine/],
  ['EPROTO', 'fail', /\(EPROTO\)/],
])('listening on an address, error %s: %s', (error, verdict, text) => {
  expect(judgeAddress('127.0.0.1:53', error)).toMatchObject({
    verdict,
    text: expect.stringMatching(text),
  });
});

test('the clock: before the program was made, against certificates, confirmed by them', () => {
  const tested = (code: string | null) => ({
    id: 'a',
    why: '',
    report: someReport(code === null ? {} : { ok: false, error: { code, message: '' }, tls: null }),
  });
  expect(judgeClock([tested(null)], 5, 6)).toMatchObject({ verdict: 'fail' });
  expect(judgeClock([tested('certificate-expired')], summer, 6)).toMatchObject({ verdict: 'warn' });
  expect(judgeClock([tested('certificate-expired'), tested(null)], summer, 6)).toMatchObject({
    verdict: 'ok',
    text: 'The clock shows 2026-07-01T00:00:00.000Z, when a certificate was valid.',
  });
  expect(judgeClock([tested('connect-failed')], summer, 6)).toMatchObject({
    text: expect.stringMatching(/which is possible/),
  });
});

test.each([
  [{}, 'ok'],
  [{ writable: false }, 'fail'],
  [{ free: megabyte }, 'fail'],
  [{ free: 100 * megabyte }, 'warn'],
  [{ free: 100 * megabyte, used: 450 * megabyte }, 'ok'],
])('a disk with %j: %s', (changes, verdict) => {
  const facts = { folder: '/f', writable: true, free: 1e12, used: 0, allowed: 512 * megabyte };
  expect(judgeDisk({ ...facts, ...changes })).toMatchObject({ verdict });
});

test.each([
  [{}, 'ok', /written: 10 queries, 2\.0 MB/],
  [{ state: 'off' as const }, 'ok', /No query log/],
  [{ rows: 1, lost: 3 }, 'warn', /\(1 query, 2\.0 MB\), but 3 queries are missing/],
  [{ state: 'stopped' as const, reason: 'disk full' }, 'fail', /: disk full\. DNS goes on/],
])('a query log with %j: %s', (changes, verdict, text) => {
  const log = { state: 'writing' as const, reason: null, rows: 10, octets: 2 * megabyte, lost: 0 };
  expect(judgeLog({ ...log, ...changes })).toMatchObject({
    verdict,
    text: expect.stringMatching(text),
  });
});

const unwritable = [describeHealthIssue('ledger-unwritable', '', 'The disk is full.', 1)];
const sound = { state: 'there', writable: true, database: true, permissions: 0o600 } as const;

test.each<[LedgerFile, HealthIssue[] | null, string, RegExp]>([
  [sound, [], 'ok', /by its owner alone/],
  [sound, unwritable, 'fail', /is not sent in cleartext\. The disk is full/],
  [{ state: 'missing' }, null, 'ok', /no l\.sqlite yet/],
  [{ state: 'missing' }, [], 'fail', /deleted under the running service/],
  [{ state: 'hidden' }, [], 'warn', /can't be looked at/],
  [{ ...sound, writable: false }, [], 'fail', /can't be written/],
  [{ ...sound, database: false }, null, 'fail', /no database any more/],
  [{ ...sound, permissions: 0o644 }, [], 'warn', /Other users may read/],
])('a ledger file %j beside %j: %s', (file, issues, verdict, text) => {
  const finding = judgeLedgerFile('l.sqlite', file, issues);
  expect(finding).toMatchObject({ verdict, text: expect.stringMatching(text) });
  expect(finding.remedy === null).toBe(verdict === 'ok');
});

test('a ledger file is looked at without a lock', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sotto-doctor-'));
  const file = join(folder, 'ledger.sqlite');
  expect(readLedgerFile(file)).toEqual({ state: 'missing' });
  writeFileSync(file, 'SQLite format 3\0…', { mode: 0o600 });
  expect(readLedgerFile(file)).toEqual(sound);
  writeFileSync(file, 'something else');
  expect(readLedgerFile(file)).toMatchObject({ database: false });
  rmSync(folder, { recursive: true });
});

test.each([
  [{ networks: [], unavailable: "can't be watched on plan9" }, 'warn', /not watched: .* plan9/],
  [{ networks: [], unavailable: null }, 'warn', /on none/],
  [{ networks: [home], unavailable: null }, 'ok', /this is home, for which you set "refuse"/],
])('a network watch that says %j: %s', (list, verdict, text) => {
  expect(judgeNetwork(list)).toMatchObject({ verdict, text: expect.stringMatching(text) });
});

describe('rebinding protection', () => {
  const met = (name: string, times: number) =>
    Array.from({ length: times }, () =>
      someEvent({ name, outcome: 'refused', rule: 'private address' }),
    );

  test('names that meet it often are listed, the most frequent first, with what to do', () => {
    const events = [...met('nas.example', 5), ...met('once.example', 4), ...met('tv.example', 9)];
    expect(judgeRebinding(events)).toMatchObject([
      { check: 'rebinding', verdict: 'warn', subject: 'tv.example' },
      {
        subject: 'nas.example',
        text: expect.stringMatching(/^Within a day, 5 answers for nas\.example were refused/),
        remedy: expect.stringMatching(/"allowPrivate"/),
      },
    ]);
  });

  test('other refusals, and a query log without names, list nothing', () => {
    const other = met('corp.example', 9).map((event) => ({ ...event, rule: 'corp.example' }));
    expect(judgeRebinding([...other, ...met('', 9)])).toEqual([]);
  });

  test('who may not read the query log is told no name', async () => {
    const asked: unknown[] = [];
    const forbidden = { code: 'forbidden', message: 'no', remedy: 'ask' } as const;
    const service = {
      call: async (name: string, params: unknown) => {
        asked.push([name, params]);
        return { ok: false, failure: forbidden } as never;
      },
    };
    expect(await checkRebinding(service, summer)).toEqual([]);
    expect(asked).toMatchObject([['log.query', { outcome: 'refused' }]]);
  });
});

const listening = ['127.0.0.1:5300', '[::1]:5300'];

test('sockets and their drops are read as the kernel writes them', () => {
  const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
 2852: 0100007F:14B4 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 461376 2 000000002fb58b49 7
 2853: 00000000000000000000000001000000:14B4 00000000000000000000000000000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 461376 2 0000000000000000 0
`;
  expect(readSockets(table)).toEqual([
    { address: '127.0.0.1:5300', dropped: 7 },
    { address: '[::1]:5300', dropped: 0 },
  ]);
  expect(readSockets('')).toEqual([]);
});

test.each([
  [4_194_304, 0, 'ok'],
  [null, 0, 'ok'],
  [212_992, 0, 'warn'],
  [4_194_304, 9, 'warn'],
])('a receive buffer of at most %s with %i drops: %s', (mostReceiveBuffer, dropped, verdict) => {
  const sockets = [
    { address: '127.0.0.1:5300', dropped },
    { address: '192.0.2.1:5353', dropped: 100 },
  ];
  expect(
    judgeReceiveBuffer({ resolvers: [], sockets, mostReceiveBuffer }, listening),
  ).toMatchObject({ verdict });
});

test.each([
  [['127.0.0.1:5300'], 'ok', /^The system asks Sotto, at 127\.0\.0\.1:5300\.$/],
  [['192.0.2.1:53'], 'warn', /asks 192\.0\.2\.1:53, not Sotto\. .* listens on 127\.0\.0\.53:53\.$/],
  [['127.0.0.1:5300', '192.0.2.1:53'], 'warn', /asks 192\.0\.2\.1:53 beside Sotto/],
  [[], 'warn', /no resolver that is known, not Sotto/],
])('a system that asks %j: %s', (resolvers, verdict, text) => {
  const sockets = [{ address: '127.0.0.53:53', dropped: 0 }];
  expect(
    judgeSystemResolvers({ resolvers, sockets, mostReceiveBuffer: null }, listening),
  ).toMatchObject({ verdict, text: expect.stringMatching(text) });
});

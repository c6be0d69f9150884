/** The findings of each check for given facts. run.test.ts tests with a real service that the checks get the right facts. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { sentences } from '../../contract/sentences/sentence.ts';
import { describeHealthIssue, type HealthIssue } from '../../contract/status/health-issue.ts';
import type { Tried } from '../../contract/status/service-status.ts';
import type { NetworkEntry } from '../../contract/system/network.ts';
import { installed } from '../../installation.ts';
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
import { judgeService, judgeStatus } from '../../service/doctor/service-check.ts';
import { judgeUpstream } from '../../service/doctor/upstream-check.ts';
import {
  someConsentRequest,
  someEvent,
  someReport,
  someStatus,
  someUpstream,
} from '../fixtures/made-up.ts';
import { readVersion } from '../version.ts';
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

test('a service of another version is named with both', () => {
  const hello = { contract: 1, pid: 1, role: 'administer' as const };
  expect(judgeService({ ...hello, version: readVersion() })).toMatchObject({ verdict: 'ok' });
  expect(judgeService({ ...hello, version: '0.0.9' })).toMatchObject({
    verdict: 'fail',
    text: `The service is of version 0.0.9, this command of ${readVersion()}.`,
    remedy: 'restart the service',
  });
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

describe('what the service says of itself', () => {
  const verdicts = (changes: Parameters<typeof someStatus>[0]) =>
    judgeStatus(someStatus(changes)).map(({ check, verdict }) => `${check} ${verdict}`);
  const policy = ['policy-in-force ok'];
  const found = (check: string, changes: Parameters<typeof someStatus>[0]) =>
    judgeStatus(someStatus(changes)).filter((finding) => finding.check === check);

  test('without a guardian: what that means, and how to have one', () => {
    expect(found('guardian', { guarded: false })).toMatchObject([
      {
        verdict: 'warn',
        text: expect.stringMatching(/if it dies nothing answers/),
        remedy: 'start it with: sotto run --guarded',
      },
    ]);
  });

  test('the policy of each group, in words, and by whose word', () => {
    const [all] = someStatus().groups;
    if (all === undefined) throw new Error('there is always a default group');
    const groups = [
      { ...all, policy: 'fallback' as const },
      {
        ...all,
        id: 'corp',
        names: ['corp.example'],
        policy: 'warn' as const,
        rungs: [],
        why: 'Corp',
      },
    ];
    expect(
      found('policy-in-force', { groups }).map(({ subject, text }) => [subject, text]),
    ).toEqual([
      [
        '',
        'Where no private path works, questions leave in clear until one works again (down to tcp, udp): "fallback", by the defaults.',
      ],
      [
        'corp',
        'For corp.example (group corp), you are asked before any leaves in clear (which leave no way): "warn", by Corp.',
      ],
    ]);
  });

  test('what waits for an answer, with the words to give it, and nothing twice', () => {
    const asks = [someConsentRequest({ id: 'kfpm', networkLabel: 'the café' })];
    const health = [describeHealthIssue('asking', '', '', 1)];
    const changes = { asks, health, protection: { state: 'asking' as const, upstream: 'A' } };
    expect(verdicts(changes)).toEqual([
      'guardian ok',
      'protection warn',
      ...policy,
      'ask warn',
      'ledger ok',
      'loops ok',
    ]);
    expect(found('ask', changes)).toMatchObject([
      {
        subject: 'kfpm',
        text: expect.stringMatching(/on the café, and a question waits/),
        remedy: expect.stringMatching(/sotto ask allow kfpm --minutes 30, sotto ask deny kfpm/),
      },
    ]);
  });

  test('without a network: what to do is not about upstreams', () => {
    const health = [describeHealthIssue('no-network', '', '', 1)];
    const changes = { health, protection: { state: 'refusing' as const, why: 'x' } };
    expect(found('protection', changes)).toMatchObject([
      { verdict: 'fail', remedy: expect.stringMatching(/^connect this machine/) },
    ]);
  });

  const lease = (changes: Partial<LedgerEntry>): LedgerEntry => ({
    id: 3,
    class: 'paused',
    network: 'any',
    networkLabel: 'any network',
    group: '',
    rule: '',
    reason: '',
    who: 'user',
    since: 1,
    until: null,
    count: 12,
    closed: null,
    ...changes,
  });

  test('all is well', () => {
    expect(verdicts({})).toEqual([
      'guardian ok',
      'protection ok',
      ...policy,
      'ledger ok',
      'loops ok',
    ]);
  });

  test('a pause is to be looked at, a bypass is what the settings ask for', () => {
    const clear = [lease({}), lease({ id: 4, class: 'bypass', rule: 'corp.example' })];
    const paused = { state: 'paused' as const, until: null };
    expect(verdicts({ clear, protection: paused })).toEqual([
      'guardian ok',
      'protection warn',
      ...policy,
      'ledger warn',
      'ledger ok',
      'loops ok',
    ]);
  });

  test('an error in a file is told by file, line and field, in words and by codes', () => {
    const error = '/etc/sotto/policy.d/10.json, line 3: settings.downgrade.value: no';
    const says = [{ code: 'file-error', params: { error } }];
    const health = [describeHealthIssue('policy-file-invalid', '10.json', says, 1)];
    const code = 'issue-policy-file-invalid';
    expect(found('policy-file-invalid', { health })).toMatchObject([
      {
        verdict: 'fail',
        text: expect.stringContaining(` ${error}.`),
        remedy: expect.stringContaining('sotto config check'),
        says: { text: [{ code }, ...says], remedy: [{ code: `${code}-remedy` }] },
      },
    ]);
  });

  test('refusing and loops fail, news do not, what other checks say better is left to them', () => {
    const health = [
      describeHealthIssue('bypass-loop', '192.0.2.1:53', '', 1),
      describeHealthIssue('log-begun-afresh', '', '', 1),
      describeHealthIssue('events-dropped', '', '', 1),
      describeHealthIssue('no-private-path', '', '', 1),
    ];
    expect(verdicts({ health, protection: { state: 'refusing', why: 'x' } })).toEqual([
      'guardian ok',
      'protection fail',
      ...policy,
      'ledger ok',
      'loops fail',
      'log-begun-afresh ok',
      'events-dropped warn',
    ]);
  });
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

describe('an upstream', () => {
  test('that answers is told with its security', () => {
    const report = someReport({ tls: { ...someUpstream().tls, pinned: true } as never });
    expect(judgeUpstream({ id: 'quad9', report, why: '' }, summer)).toMatchObject({
      check: 'upstream',
      subject: 'quad9',
      verdict: 'ok',
      text: 'quad9 answered in 31.5 ms from 192.0.2.1:853, TLS 1.3, certificate for dns.example.net, pin matches, valid until 2027-01-01.',
      remedy: null,
      action: null,
    });
  });

  test('whose certificate ends soon is to be looked at', () => {
    const now = Date.UTC(2026, 11, 28);
    expect(judgeUpstream({ id: 'a', report: someReport(), why: '' }, now)).toMatchObject({
      verdict: 'warn',
      text: expect.stringMatching(/its certificate ends in 4 d\.$/),
    });
  });

  test.each([
    ['connect-failed', /port 53/],
    ['certificate-name', /"name"/],
    ['certificate-pin', /someone may be in between/],
    ['certificate-issuer', /"ca"/],
    ['something-new', /sotto upstream test/],
  ])('that fails by %s gets its remedy', (code, remedy) => {
    const error = { code, message: '192.0.2.1:853: no' };
    const report = someReport({ ok: false, error, tls: null, chain: [] });
    expect(judgeUpstream({ id: 'a', report, why: '' }, summer)).toMatchObject({
      verdict: 'fail',
      text: 'a: 192.0.2.1:853: no.',
      remedy: expect.stringMatching(remedy),
    });
  });

  test.each([
    ['at another address', (tried: Tried) => ({ tried })],
    [
      'by the other way',
      (tried: Tried) => ({ alternative: { ...someReport(), ok: false, tried } }),
    ],
  ])('that answers, with an impostor %s, is to be looked at', (_where, found) => {
    const impostor = { address: '192.0.2.2:853', code: 'certificate-name', text: 'it is another' };
    const away = { address: '192.0.2.3:853', code: 'no-reply', text: 'silent' };
    const judged = (tried: Tried) =>
      judgeUpstream({ id: 'a', report: someReport(found(tried)), why: '' }, summer);
    expect(judged([impostor, away])).toMatchObject({
      verdict: 'warn',
      text: 'a answers from 192.0.2.1:853, but not everywhere: 192.0.2.2:853: it is another.',
      remedy: expect.stringMatching(/"name"/),
    });
    expect(judged([away])).toMatchObject({ verdict: 'ok' });
  });

  test('gets a remedy of its own for each word the engine has for a failure', () => {
    const words = ['mod.rs', 'dial_error.rs', 'trust_error.rs', 'proxy_error.rs'].flatMap((file) =>
      Array.from(
        readFileSync(installed(`native/engine/src/upstream/failure/${file}`), 'utf8').matchAll(
          /=> "([a-z-]+)",/g,
        ),
        ([, code = '']) => code,
      ),
    );
    for (const word of ['still-connecting', 'no-reply', 'certificate-name', 'proxy-away'])
      expect(words).toContain(word);
    expect(words.filter((code) => !Object.hasOwn(sentences, `after-${code}`))).toEqual([]);
  });

  test('that may not be used is named, not blamed', () => {
    expect(judgeUpstream({ id: 'a', report: null, why: 'it has no TLS' }, summer)).toMatchObject({
      verdict: 'warn',
      text: 'a was not tested: it has no TLS.',
    });
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
  [{ state: 'off' as const }, 'ok', /No history/],
  [{ rows: 1, lost: 3 }, 'warn', /\(1 query, 2\.0 MB\), but 3 queries are missing/],
  [{ state: 'stopped' as const, reason: 'disk full' }, 'fail', /: disk full\. DNS goes on/],
])('a history with %j: %s', (changes, verdict, text) => {
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
  [sound, unwritable, 'fail', /is not sent in clear\. The disk is full/],
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

  test('other refusals, and a history without names, list nothing', () => {
    const other = met('corp.example', 9).map((event) => ({ ...event, rule: 'corp.example' }));
    expect(judgeRebinding([...other, ...met('', 9)])).toEqual([]);
  });

  test('who may not read the history is told no name', async () => {
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

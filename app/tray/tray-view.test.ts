import { describe, expect, test } from 'vitest';
// biome-ignore-start lint/style/noRestrictedImports: tests share their made-up service with the command line's.
import { someConsentRequest, someSystemDns } from '../cli/fixtures/made-up.ts';
// biome-ignore-end lint/style/noRestrictedImports: tests share their made-up service with the command line's.
import type { LedgerEntry } from '../contract/protection/ledger-entry.ts';
import type { ProtectionState } from '../contract/protection/protection-state.ts';
import type { Verdict } from '../contract/protection/verdict.ts';
import { describeHealthIssue } from '../contract/status/health-issue.ts';
import type { ServiceStatus } from '../contract/status/service-status.ts';
import type { SystemDnsStatus } from '../contract/system/system-dns.ts';
import { de } from './text/de.ts';
import { en } from './text/en.ts';
import { trayView } from './tray-view.ts';
import { around, click, lines, minute, now, quad9, quiet, shown } from './tray-view-fixture.ts';

const besides = { exceptions: 0, contested: false, around: [] };
const contest = { is: 'unencrypted', by: 'contest', until: null, consent: '' } as const;
const consented = { is: 'unencrypted', by: 'consent', since: now, consent: 'you' } as const;
const unused = { is: 'not-in-use', works: true, reached: false, unencryptedSince: null } as const;
const chrome = { kind: 'browser', name: 'Chrome' } as const;
const container = { kind: 'container', name: 'Docker 1' } as const;
const clock = en.moment(now, now);

const verdicts: [Verdict, string, string][] = [
  [
    { is: 'protected', upstream: 'Quad9', exceptions: 0 },
    'Protected',
    "Quad9 answers this computer's queries, encrypted.",
  ],
  [
    { ...unused, why: 'not-wanted' },
    'Not in use yet',
    'Sotto works, but this computer asks somebody else.',
  ],
  [
    { is: 'partly', upstream: 'Quad9', ...besides, around: [chrome, container] },
    'Partly protected',
    'Chrome and 1 container go around Sotto.',
  ],
  [
    { is: 'connecting', waitsFor: 'upstream', upstream: 'Quad9', ...besides },
    'Connecting',
    'Connecting to Quad9 …',
  ],
  [
    { is: 'choose', upstream: 'Quad9', ...besides },
    'Your choice',
    "Quad9 can't be reached encrypted here. Nothing is sent until you decide.",
  ],
  [
    { ...consented, until: now + 7 * minute },
    'Unencrypted',
    `Queries leave unencrypted here since ${clock}; it was allowed, 7 minutes left.`,
  ],
  [
    { ...contest, since: now },
    'Unencrypted',
    `Another program or the network took this computer's DNS over: queries leave unencrypted since ${clock}.`,
  ],
  [
    { is: 'blocked', by: 'no-path', cause: 'no route', ...besides },
    'Blocked',
    'No encrypted connection: queries are blocked, not leaked.',
  ],
  [
    { is: 'log-in', ...besides },
    'Log in to this Wi-Fi',
    'Queries wait until you are logged in; none leaves unencrypted.',
  ],
  [
    { is: 'paused', until: now },
    `Paused until ${clock} – unencrypted`,
    'This computer asks its network, unencrypted.',
  ],
  [
    { is: 'paused', until: null },
    'Paused until Sotto starts again – unencrypted',
    'This computer asks its network, unencrypted.',
  ],
  [{ is: 'off', since: now }, 'Off – unencrypted', 'This computer asks its network, unencrypted.'],
];

describe.each(verdicts)('%o', (verdict, headline, sentence) => {
  test('has its mark, its headline and its sentence', () => {
    const view = shown({ verdict });
    expect(view.mark).toBe(verdict.is);
    expect(view.tooltip).toBe(`Sotto: ${headline}. ${sentence}`);
    expect(lines(view.entries).slice(0, 2)).toEqual([`(${headline})`, `(${sentence})`]);
  });

  test('is said in German, in other words, with every place filled', () => {
    const [head, said] = lines(shown({ verdict }, de).entries);
    expect(head).not.toBe(`(${headline})`);
    expect(said).not.toBe(`(${sentence})`);
    expect(`${head}${said}`).not.toMatch(/[{}]|undefined|NaN/);
  });
});

const policyEntry = { class: 'policy', rule: '' } as const;

test.each<[string, Partial<ServiceStatus>, string, object]>([
  [
    'not in use',
    { verdict: { ...unused, why: 'not-wanted' } },
    'Protect this computer',
    { do: 'protect', change: 'take' },
  ],
  [
    'led away',
    { verdict: { ...contest, since: null } },
    'Protect this computer',
    { do: 'protect', change: 'take' },
  ],
  [
    'partly',
    { verdict: { is: 'partly', upstream: 'Quad9', ...besides, around: [chrome] } },
    'How to fix',
    { do: 'open', page: 'diagnostics' },
  ],
  [
    'blocked',
    { verdict: { is: 'blocked', by: 'no-path', cause: '', ...besides } },
    'Other provider',
    { do: 'open', page: 'providers' },
  ],
])('%s: what helps stands in the third line', (_, changes, label, action) => {
  const view = shown(changes);
  expect(lines(view.entries)[2]).toBe(label);
  expect(click(view, label)).toMatchObject({ action });
});

test('what a policy allowed is stopped from the menu; what nobody allowed is not', () => {
  const verdict = { ...consented, until: null };
  const stop = 'Stop';
  expect(click(shown({ verdict, clear: [{ ...entry, ...policyEntry }] }), stop)).toMatchObject({
    action: { method: 'network.set', params: { policy: 'refuse' } },
  });
  expect(click(shown({ verdict }), stop)).toBeUndefined();
});

test('the menu of a protected morning', () => {
  expect(lines(shown({}).entries)).toEqual([
    '(Protected)',
    "(Quad9 answers this computer's queries, encrypted.)",
    '–',
    'Quad9 · 11 ms ▸',
    '  (Quad9 · 11 ms)',
    '  –',
    '  Choose and compare …',
    '–',
    'Pause ▸',
    '  For 5 minutes',
    '  For 15 minutes',
    '  For 1 hour',
    '  Until Sotto starts again',
    'Turn off',
    '–',
    'Stop protecting this computer',
    '–',
    'Open Sotto',
    'Copy diagnostics',
    'Start at login',
    '–',
    'Quit the tray (this computer goes on asking Sotto)',
  ]);
});

test('the report is copied from the menu', () => {
  expect(click(shown({}), 'Copy diagnostics')).toMatchObject({
    action: { do: 'copy-diagnostics' },
  });
  expect(click(shown({}, de), 'Diagnosebericht kopieren')).toBeDefined();
});

test('a pause of fifteen minutes asks for exactly that', () => {
  expect(click(shown({}), 'For 15 minutes')).toMatchObject({
    action: { do: 'call', method: 'protection.pause', params: { minutes: 15 } },
  });
});

test('a paused Sotto offers to resume, with the time that is left', () => {
  const view = shown({ protection: { state: 'paused', until: now + 4.5 * minute } });
  expect(click(view, 'Resume (5 minutes left)')).toMatchObject({
    action: { method: 'protection.on' },
  });
  expect(view.changesAt).toBe(now + 0.5 * minute);
});

test.each<[string, ProtectionState, number | null]>([
  ['the last minute stays', { state: 'paused', until: now + 40_000 }, null],
  ['no end, no countdown', { state: 'paused', until: null }, null],
  ['private needs no clock', { state: 'private', upstream: 'Quad9', tls: 'TLS 1.3' }, null],
  [
    'a permission counts down',
    { state: 'exposed', since: 0, until: now + 2 * minute, consent: 'you' },
    now + minute,
  ],
])('%s', (_, protection, changesAt) => {
  expect(shown({ protection }).changesAt).toBe(changesAt);
});

const request = someConsentRequest({ id: 'k7', upstream: 'Quad9' });

test('a consent request is answered from the menu', () => {
  const view = shown({
    protection: { state: 'asking', upstream: 'Quad9' },
    consentRequests: [request],
  });
  expect(click(view, 'Retry')).toMatchObject({
    action: { method: 'consent.retry', params: { id: 'k7' } },
  });
  expect(click(view, 'Allow unencrypted for 10 minutes')).toMatchObject({
    action: { method: 'consent.allow', params: { id: 'k7', minutes: 10 } },
  });
  expect(click(view, 'Stay protected')).toMatchObject({
    action: { method: 'consent.deny', params: { id: 'k7' } },
  });
});

test('two consent requests are told apart by their group', () => {
  const consentRequests = [request, { ...request, id: 'k8', group: 'work', upstream: 'Corp' }];
  expect(lines(shown({ consentRequests }).entries)).toEqual(
    expect.arrayContaining(['Quad9 ▸', 'work: Corp ▸']),
  );
});

const entry: LedgerEntry = {
  id: 1,
  class: 'policy',
  network: 'n1',
  networkLabel: 'Café',
  group: '',
  rule: '',
  reason: '',
  who: 'you',
  since: now,
  until: null,
  count: 1204,
  closed: null,
};

test.each<[LedgerEntry, string | null]>([
  [entry, 'Unencrypted (no encrypted connection): 1,204'],
  [
    { ...entry, class: 'bypass', rule: 'corp.example', count: 41 },
    'Unencrypted (corp.example): 41',
  ],
  [{ ...entry, class: 'bypass', rule: 'corp.example', count: 0 }, null],
  [{ ...entry, class: 'service-down', count: null }, 'Unencrypted (service-down): not counted'],
])('an open ledger entry %o', (open, line) => {
  const inCleartext = lines(shown({ clear: [open] }).entries).filter((text) =>
    text.startsWith('Unencrypted'),
  );
  expect(inCleartext).toEqual(line === null ? [] : [line]);
});

test('an error is a line, and leads to the page that explains it', () => {
  const issue = describeHealthIssue('certificate-wrong', 'Quad9', '', now);
  const view = shown({ health: [issue] });
  expect(click(view, 'An upstream could not be authenticated (Quad9)')).toMatchObject({
    action: { do: 'open', page: 'diagnostics' },
  });
});

test.each([
  ['en', en],
  ['de', de],
] as const)(
  'names from outside stay names: control and direction marks are not obeyed (%s)',
  (_, words) => {
    const hostile = `Quad9\u202e\u0007\n\u001b[31m<b>${'long '.repeat(100)}`;
    const request = someConsentRequest({ group: hostile, upstream: hostile });
    const view = shown(
      {
        protection: { state: 'private', upstream: hostile, tls: 'TLS 1.3' },
        upstreams: [{ ...quad9, label: hostile }],
        clear: [{ ...entry, class: 'bypass', rule: hostile, reason: hostile, who: hostile }],
        consentRequests: [request, { ...request, id: 'other' }],
        health: [describeHealthIssue('certificate-wrong', hostile, hostile, now)],
      },
      words,
    );
    const texts = [view.tooltip, ...lines(view.entries)];
    expect(texts.filter((text) => text.includes('Quad9'))).toHaveLength(8);
    for (const text of texts) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
      expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      expect(text.length).toBeLessThan(130);
    }
    expect(view.tooltip).toContain(String.raw`Quad9\u202e\x07\x0a\x1b[31m<b>`);
  },
);

test.each<[string, SystemDnsStatus | null, string[]]>([
  ['taken', someSystemDns(), ['Stop protecting this computer → give-back']],
  [
    'wanted only',
    someSystemDns({ taken: false }),
    ['Protect this computer → take', 'Stop protecting this computer → give-back'],
  ],
  ['not wanted', someSystemDns({ taken: false, wanted: false }), ['Protect this computer → take']],
  ['out of reach', someSystemDns({ mechanism: null, wanted: false, taken: false }), []],
  ['unknown', null, []],
])('the system’s DNS, %s', (_, systemDns, expected) => {
  for (const protection of [quiet.protection, { state: 'off', since: now } as const]) {
    const view = shown({ systemDns, ...(protection && { protection }) });
    const about = lines(view.entries).filter((line) => /protect.* this computer/i.test(line));
    const withCalls = about.map((line) => {
      const entry = click(view, line) as { action?: { change?: string } } | undefined;
      return entry === undefined ? line : `${line} → ${entry.action?.change}`;
    });
    const isOff = protection?.state === 'off';
    expect(withCalls).toEqual(isOff && systemDns?.wanted ? expected.slice(-1) : expected);
  }
});

test('a lost service is not shown as it was', () => {
  const failure = {
    code: 'not-running',
    message: 'Sotto is not running',
    remedy: 'start it with: sotto run',
    subject: null,
  } as const;
  const view = trayView({ is: 'lost', failure, retryAt: now }, around);
  expect(view.mark).toBe('not-responding');
  expect(view.tooltip).toMatch(/^Sotto: Not responding\. /);
  expect(lines(view.entries)).toEqual([
    '(Not responding)',
    '(Sotto is not running. To do: start it with: sotto run.)',
    'Try again',
    '–',
    'Open Sotto',
    'Start at login',
    '–',
    'Quit the tray',
  ]);
});

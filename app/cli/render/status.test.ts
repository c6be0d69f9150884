/** The output of `sotto status` in states that a person must understand at once. */
import { expect, test } from 'vitest';
import { describeHealthIssue } from '../../contract/status/health-issue.ts';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import { someStatus, someSystemDns, someUpstream } from '../fixtures/made-up.ts';
import { dayAndMinute } from '../terminal/clock.ts';
import { openTerminal } from '../terminal/terminal.ts';
import { renderStatus, renderUpstreamCost, renderUpstreams } from './status.ts';

const since = Date.UTC(2026, 0, 31, 14, 2);
const why = "quad9: 192.0.2.1:853: can't connect (connection refused).";
const upstreams = [
  someUpstream({
    state: 'resting',
    restingMs: 400,
    tls: null,
    rttMs: null,
    lastError: { code: 'connect-failed', text: why },
  }),
];

function render(changes: Partial<ServiceStatus>, colour = false): string[] {
  const stream = { write: () => {}, isTTY: colour };
  const terminal = openTerminal(stream, stream, {});
  return renderStatus(someStatus({ upstreams, ...changes }), terminal, since + 60_000);
}

test('refusing: the cause and the remedy, once', () => {
  const health = [describeHealthIssue('no-private-path', '', why, since)];
  const lines = render({ protection: { state: 'refusing', why }, health });
  expect(lines.slice(0, 3)).toEqual([
    'Blocked. No encrypted connection: queries are blocked, not leaked.',
    '→ Check the network, try "sotto upstream test", or add another upstream.',
    '',
  ]);
  expect(lines).toContain(`Protection  No private path: queries are refused. ${why}`);
  expect(lines.at(-1)).toMatch(/^Service {5}1\.2\.3/);
  expect(lines[4]).toMatch(/^quad9 +dot +192\.0\.2\.1:853 +resting +– /);
});

test('without a network: said, and nothing to prove', () => {
  const lines = render({
    protection: { state: 'refusing', why: 'There is no network here.' },
    network: { id: 'none', label: 'no network', authenticated: false },
    health: [describeHealthIssue('no-network', '', '', since)],
  });
  expect(lines.slice(0, 2)).toEqual([
    'Blocked. No encrypted connection: queries are blocked, not leaked.',
    '→ Connect this machine; Sotto goes on by itself.',
  ]);
  expect(lines).toContain('Network     no network');
});

test('exposed: by whom, how many, on which rung', () => {
  const lines = render({
    protection: { state: 'exposed', since, until: null, consent: 'fallback, by your settings' },
    clear: [
      {
        id: 3,
        class: 'policy',
        network: 'cafe',
        networkLabel: 'the café',
        group: '',
        rule: '',
        reason: 'no private path; rungs allowed: tcp, udp',
        who: 'your settings',
        since,
        until: since + 5 * 60_000,
        count: 12,
        closed: null,
      },
    ],
    rungs: [
      { group: '', rung: 'tcp', upstream: 'quad9', state: 'idle', lastError: 'refused' },
      { group: '', rung: 'udp', upstream: 'quad9', state: 'ready', lastError: null },
    ],
    health: [
      describeHealthIssue('exposed', '', why, since),
      describeHealthIssue('exposed', 'corp', 'Names of the group corp.', since),
    ],
  });
  expect(lines[1]).toMatch(/^→ Each is counted/);
  const clear = lines.findIndex((line) => line.startsWith('Clear'));
  expect(lines.slice(clear, clear + 5)).toEqual([
    `Clear       policy: 12 in cleartext since ${dayAndMinute(since)}, 4 min left, by your settings`,
    '              no private path; rungs allowed: tcp, udp',
    '              tcp to quad9: idle, last error: refused',
    '              udp to quad9: ready',
    'Query log   101 queries, 1.0 MB',
  ]);
  // What holds for one group alone is not in the sentence.
  expect(lines.slice(-3).join('\n')).toContain('Names of the group corp.');
});

test.each<[string, Partial<ServiceStatus>, string[]]>([
  [
    'nobody led it here',
    { systemDns: someSystemDns({ wanted: false, taken: false }) },
    [
      'Not in use yet. Sotto works, but this computer asks somebody else. Programs that were pointed at Sotto by hand are answered, encrypted.',
      '→ Protect this computer: sotto system take',
    ],
  ],
  [
    'it is wanted and does not succeed',
    {
      systemDns: someSystemDns({
        taken: false,
        trouble: { code: 'no-mechanism', message: 'no', remedy: 'do this', subject: null },
      }),
      protection: { state: 'starting', upstream: 'quad9' },
    },
    ['Not in use yet. This computer asks somebody else, not Sotto.', '→ do this'],
  ],
  [
    'another program led it away',
    {
      systemDns: someSystemDns({ taken: false, contest: { since, closed: true, constant: false } }),
    },
    [
      "Blocked. Another program or the network took this computer's DNS over: queries are blocked, not leaked, until Sotto has it back.",
      '→ See by what: sotto system status',
    ],
  ],
])('the verdict says what to do: %s', (_, changes, expected) => {
  const lines = render(changes);
  expect(lines.slice(0, 3)).toEqual([...expected, '']);
  expect(lines.some((line) => line.startsWith('Protection  '))).toBe(true);
});

test('each setting that protects less has a line', () => {
  const [all] = someStatus().groups;
  if (all === undefined) throw new Error('there is always a default group');
  const lines = render({
    groups: [{ ...all, policy: 'warn', consent: 'administrator' }],
    loosened: [
      { setting: 'allowPrivate', count: 2 },
      { setting: 'forwardSpecial', count: 1 },
      { setting: 'earlyData', count: 1 },
      { setting: 'systemDns.close', count: null },
    ],
  });
  const from = lines.findIndex((line) => line.startsWith('Policy'));
  expect(lines.slice(from, from + 5)).toEqual([
    'Policy      warn, down to tcp, udp, an administrator may allow it, by the defaults',
    'Looser      "allowPrivate" for 2 names: responses may hold private addresses',
    '            "forwardSpecial" for 1 name: special-use names leave this machine',
    '            "earlyData" for 1 upstream: a copy of the first query of a connection can be sent to the server again',
    '            "systemDns.close": what goes past Sotto is never rejected',
  ]);
  expect(render({}).some((line) => line.startsWith('Looser'))).toBe(false);
});

test('a name from the network is never obeyed', () => {
  const evil = 'home\u001b[2J\u202e\n';
  const lines = render({
    network: { id: 'x', label: evil, authenticated: false },
    health: [describeHealthIssue('exposed', 'corp', evil, since)],
  });
  const text = lines.join('\n');
  expect(text).toContain('Network     home\\x1b[2J\\u202e\\x0a; no upstream');
  for (const sign of ['\u001b', '\u202e']) expect(text).not.toContain(sign);
});

test('colour stands beside the words, never for them', () => {
  const protection = { state: 'refusing', why } as const;
  const [plain] = render({ protection });
  expect(render({ protection }, true)[0]).toBe(`\u001b[31m${plain}\u001b[39m`);
});

const noCost = {
  reused: 0,
  resumed: 0,
  cold: 0,
  queued: 0,
  handshakes: 0,
  handshakeMeanMs: null,
  octets: { sent: 0, received: 0, by: 'system' },
} as const;

test.each([
  ['nothing asked yet', noCost, '–'],
  ['no connections to count', null, '–'],
  [
    'the first query opens the connection',
    { ...noCost, cold: 1, handshakes: 1, handshakeMeanMs: 40 },
    '0.0% reused, handshake 40.0 ms',
  ],
  [
    'all of it',
    {
      ...{ reused: 38, resumed: 2, cold: 1, queued: 3, handshakes: 3, handshakeMeanMs: 31 },
      octets: { sent: 900, received: 61_400, by: 'system' as const },
    },
    '86.4% reused, handshake 31.0 ms, 900 B → 61.4 kB',
  ],
])('what an upstream cost: %s', (_, cost, said) => {
  expect(renderUpstreamCost({ cost })).toBe(said);
});

test('only the list of upstreams has the cost', () => {
  expect(renderUpstreams(upstreams, true)[0]).toContain('  cost ');
  expect(renderUpstreams(upstreams)[0]).not.toContain('cost');
});

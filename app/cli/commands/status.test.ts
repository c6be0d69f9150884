import { expect, test } from 'vitest';
import { succeed } from '../../contract/errors.ts';
import { say } from '../../contract/sentences/sentence.ts';
import { describeHealthIssue } from '../../contract/status/health-issue.ts';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import { runCommand, serve } from '../fixtures/fake-service.ts';
import { someStatus, someSystemDns, someUpstream } from '../fixtures/made-up.ts';
import { minuteOf } from '../terminal/clock.ts';

const partly: ServiceStatus['verdict'] = {
  is: 'partly',
  upstream: 'quad9',
  exceptions: 0,
  contested: false,
  around: [{ kind: 'browser', name: 'Chrome' }],
};

test('status says the verdict first, then upstreams, permissions, query log and what is wrong', async () => {
  const home = await serve({
    'status.get': () =>
      succeed(
        someStatus({
          upstreams: [
            someUpstream(),
            someUpstream({
              id: 'other',
              state: 'resting',
              restingMs: 61_000,
              tls: null,
              rttMs: null,
              lastError: { code: 'certificate', text: 'wrong name \u001b[31m' },
            }),
          ],
          health: [describeHealthIssue('log-stopped', '', 'The disk is full.', Date.now())],
        }),
      ),
  });
  const { code, out, errors } = await runCommand(home, 'status');
  expect([code, errors]).toEqual([0, '']);
  const lines = out.split('\n');
  expect(lines[0]).toBe("Protected. quad9 answers this computer's queries, encrypted.");
  expect(lines[3]).toMatch(
    /^quad9 +dot +192\.0\.2\.1:853 +ready +TLS 1\.3, name checked +11\.2 ms +41 +0$/,
  );
  expect(lines[4]).toMatch(/^other +dot .* resting 1 min 1 s +– +– +41 +0 +wrong name \\x1b\[31m$/);
  expect(out).toContain('Queries     41 forwarded, 60 cached; 55 responses in the cache\n');
  expect(out).toContain('Clear       nothing may leave in cleartext\n');
  expect(out).toContain('Query log   101 queries, 1.0 MB');
  expect(out).toMatch(
    /The query log is not being written\n {2}DNS goes on\. The disk is full\.\n {2}→ Free space/,
  );
  expect(out).not.toContain('\u001b');
});

test('status shows errors in settings one a line, and line breaks of strangers as what they are', async () => {
  const health = [
    describeHealthIssue('settings-invalid', '', 'a.json:1: x\na.json:2: y', 1),
    describeHealthIssue('policy-file-invalid', 'b', [sayError('b, line 1: x'), sayError('y')], 1),
    describeHealthIssue('certificate-wrong', 'a', 'for b\nc', 1),
  ];
  const home = await serve({ 'status.get': () => succeed(someStatus({ health })) });
  const { out } = await runCommand(home, 'status');
  expect(out).toContain(' a.json:1: x\n  a.json:2: y\n  → Correct');
  expect(out).toContain(' says otherwise.\n  b, line 1: x.\n  y.\n  → Ask');
  expect(out).toContain('for b\\x0ac\n');
});

const sayError = (error: string) => say('file-error', { error });

test('status names open permissions to send in cleartext', async () => {
  const until = Date.now() + 7 * 60_000;
  const home = await serve({
    'status.get': () =>
      succeed(
        someStatus({
          protection: { state: 'paused', until },
          sentence: 'Paused until 15:30 – unencrypted.',
          clear: [
            {
              id: 3,
              class: 'paused',
              network: 'home',
              networkLabel: 'home',
              group: '',
              rule: '',
              reason: '',
              who: 'user',
              since: Date.UTC(2026, 0, 31, 14, 2),
              until,
              count: 12,
              closed: null,
            },
          ],
        }),
      ),
  });
  const { out } = await runCommand(home, 'status');
  // Not the service's words, which are of its zone, but ours.
  expect(out).toContain(`aused until ${minuteOf(until, Date.now())}`);
  expect(out).toMatch(
    /^Clear {7}paused: 12 in cleartext since 2026-01-31 14:02, [67] min.* left, by user$/m,
  );
});

test.each<[number, string, Partial<ServiceStatus>]>([
  [0, 'Protected.', {}],
  [1, 'Not in use yet.', { systemDns: someSystemDns({ wanted: false, taken: false }) }],
  [1, 'Blocked.', { protection: { state: 'refusing', why: 'quad9: timed out.' } }],
  [1, 'Connecting.', { protection: { state: 'starting', upstream: 'quad9' } }],
  [1, 'Off – unencrypted.', { protection: { state: 'off', since: 1 } }],
  [1, 'Partly protected.', { verdict: partly }],
])('status ends with %i where the verdict is %s', async (expected, headline, changes) => {
  const home = await serve({ 'status.get': () => succeed(someStatus(changes)) });
  const { code, out } = await runCommand(home, 'status');
  expect(out.startsWith(headline)).toBe(true);
  expect(code).toBe(expected);
});

test('status --json is the contract’s status, whole', async () => {
  const status = someStatus();
  const home = await serve({ 'status.get': () => succeed(status) });
  const { out } = await runCommand(home, 'status', '--json');
  expect(JSON.parse(out)).toEqual(status);
});

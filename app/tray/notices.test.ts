import { expect, test } from 'vitest';
// biome-ignore lint/style/noRestrictedImports: tests share their made-up service with the command line's.
import { someConsentRequest, someStatus } from '../cli/fixtures/made-up.ts';
import { say } from '../contract/sentences/sentence.ts';
import { describeHealthIssue, type HealthIssueCode } from '../contract/status/health-issue.ts';
import { Notices } from './notices.ts';

const minute = 60_000;
const quiet = someStatus();
const exposed = someStatus({
  protection: { state: 'exposed', since: 0, until: null, consent: 'policy' },
});

function troubled(...codes: HealthIssueCode[]) {
  return someStatus({ health: codes.map((code) => describeHealthIssue(code, '', '', 0)) });
}

test('a quiet status says nothing', () => {
  expect(new Notices().take(quiet, 0)).toEqual([]);
});

test('a consent request is told once, however often the status changes', () => {
  const notices = new Notices();
  const asking = someStatus({ consentRequests: [someConsentRequest()] });
  expect(notices.take(asking, 0).map(({ about }) => about)).toEqual(['consent']);
  expect(notices.take(asking, minute)).toEqual([]);
});

test('what comes back within the hour is not told again, after it is', () => {
  const notices = new Notices();
  expect(notices.take(exposed, 0)).toHaveLength(1);
  notices.take(quiet, minute);
  expect(notices.take(exposed, 59 * minute)).toEqual([]);
  notices.take(quiet, 60 * minute);
  expect(notices.take(exposed, 61 * minute)).toHaveLength(1);
});

test('a network that wants a login is told, unless it is open or set aside', () => {
  const portal = {
    evidence: 'names',
    site: null,
    url: 'http://192.0.2.1/',
    since: 0,
    byItself: false,
    skipped: false,
    login: null,
  } as const;
  const login = { by: 'window', since: 0, until: minute, who: 'you', entry: null } as const;
  const told = (status: ReturnType<typeof someStatus>) =>
    new Notices().take(status, 0).map(({ about }) => about);
  expect(told(someStatus({ portal }))).toEqual(['portal']);
  expect(told(someStatus({ portal: { ...portal, login } }))).toEqual([]);
  expect(told(someStatus({ portal: { ...portal, skipped: true } }))).toEqual([]);
  expect(told(someStatus({ portal: { ...portal, byItself: true } }))).toEqual([]);
});

test('what a network claims is asked once per network, however long ago', () => {
  const notices = new Notices();
  const claimed = (network: string, ...suffixes: string[]) =>
    someStatus({
      network: { id: network, label: network, authenticated: true },
      health: suffixes.map((suffix) =>
        describeHealthIssue(
          'names-claimed',
          suffix,
          [say('name-claimed', { suffix, link: 'eth0' })],
          0,
        ),
      ),
    });
  const told = (status: ReturnType<typeof someStatus>, at: number) =>
    notices.take(status, at).map((notice) => notice.about === 'claim' && notice.claim);
  expect(told(claimed('home', 'corp.example'), 0)).toEqual([
    { suffix: 'corp.example', link: 'eth0' },
  ]);
  expect(told(claimed('home', 'corp.example'), minute)).toEqual([]);
  expect(told(quiet, 2 * minute)).toEqual([]);
  expect(told(claimed('home', 'corp.example'), 300 * minute)).toEqual([]);
  expect(told(claimed('cafe', 'corp.example'), 301 * minute)).toHaveLength(1);
  expect(told(claimed('cafe', 'corp.example', 'a', 'b', 'c', 'd'), 302 * minute)).toHaveLength(2);
});

test('what heals by itself interrupts nobody', () => {
  expect(
    new Notices().take(troubled('no-network', 'events-dropped', 'no-private-path'), 0),
  ).toEqual([]);
});

test('three in ten minutes are enough', () => {
  const notices = new Notices();
  const all = troubled('downgrade-attempt', 'certificate-wrong', 'clock-wrong', 'listen-failed');
  expect(notices.take(all, 0)).toHaveLength(3);
  expect(notices.take(troubled('settings-invalid'), minute)).toEqual([]);
  expect(notices.take(troubled('ledger-unwritable'), 10 * minute)).toHaveLength(1);
});

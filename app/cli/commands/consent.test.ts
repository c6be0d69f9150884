import { expect, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import { runCommand, serve } from '../fixtures/fake-service.ts';
import { someConsentRequest, someStatus } from '../fixtures/made-up.ts';

test('consent list says why, and each command that answers', async () => {
  const consentRequests = [
    someConsentRequest({ consent: 'administrator' }),
    someConsentRequest({ id: 'hxwt', state: 'denied', who: 'ann', group: 'corp' }),
  ];
  const home = await serve({ 'consent.list': () => succeed({ consentRequests }) });
  const { code, out } = await runCommand(home, 'consent', 'list');
  expect(code).toBe(0);
  expect(out).toContain(
    "kfpm  2026-01-31 14:02  Quad9 can't be reached privately on the café\\x1b[2J\n",
  );
  expect(out).toContain('  Quad9: timed out.\n');
  expect(out).toMatch(
    /sotto consent allow kfpm --minutes 30 .*\(tcp, udp\), as an administrator\n/,
  );
  expect(out).toMatch(/Without an answer within [89] min/);
  expect(out).toContain('(names of the group corp)');
  expect(out).toContain(
    '  ann chose to stay private; to be asked again: sotto consent retry hxwt\n',
  );
  expect(JSON.parse((await runCommand(home, 'consent', 'list', '--json')).out)).toEqual({
    consentRequests,
  });
});

test('nothing waits: said on the other stream', async () => {
  const home = await serve({ 'consent.list': () => succeed({ consentRequests: [] }) });
  expect(await runCommand(home, 'consent', 'list')).toEqual({
    code: 0,
    out: '',
    errors: 'Nothing waits for an answer.\n',
  });
});

test('allow, deny and retry say what follows', async () => {
  const asked: unknown[] = [];
  const until = Date.UTC(2026, 0, 31, 14, 32);
  const home = await serve({
    'consent.allow': (params) => {
      asked.push(params);
      return succeed(someConsentRequest({ state: 'allowed', who: 'ann', until }));
    },
    'consent.deny': (params) => {
      asked.push(params);
      return succeed(someConsentRequest({ state: 'denied', who: 'ann' }));
    },
    'consent.retry': () =>
      fail(
        'unknown-consent-request',
        'there is no consent request "no"',
        'see: sotto consent list',
        'no',
      ),
  });
  expect((await runCommand(home, 'consent', 'allow', 'kfpm', '--minutes', '30')).out).toBe(
    'ann allowed cleartext queries until 2026-01-31 14:32.\n',
  );
  expect(
    JSON.parse((await runCommand(home, 'consent', 'deny', 'kfpm', '--json')).out),
  ).toMatchObject({
    id: 'kfpm',
    state: 'denied',
  });
  expect(asked).toEqual([{ id: 'kfpm', minutes: 30 }, { id: 'kfpm' }]);
  expect(await runCommand(home, 'consent', 'retry', 'no')).toMatchObject({
    code: 2,
    errors: expect.stringMatching(
      /there is no consent request "no" – nothing was answered – see: sotto/,
    ),
  });
});

test.each([
  [{ reached: 'Quad9' }, 0, 'Quad9 can be reached privately again.\n'],
  [
    { whyNot: 'Quad9: \u001b[31mno.', next: 'hxwt' },
    1,
    `In vain: no private path works. Quad9: \\x1b[31mno.
You are asked anew: sotto consent allow hxwt --minutes 30, or sotto consent deny hxwt
`,
  ],
  [{}, 1, 'In vain: no private path works.\nNothing is sent in cleartext; see: sotto status\n'],
])('a retry that came to %j: exit code %i', async (came, code, out) => {
  const retried = {
    ...someConsentRequest({ state: 'retried' }),
    reached: null,
    whyNot: '',
    next: null,
  };
  const home = await serve({ 'consent.retry': () => succeed({ ...retried, ...came }) });
  expect(await runCommand(home, 'consent', 'retry', 'kfpm')).toEqual({ code, out, errors: '' });
});

test.each([
  [['allow', 'kfpm'], /--minutes/],
  [['allow', 'kfpm', '--minutes', '0'], /"0" is not a number of minutes/],
  [['allow', 'kfpm', '--minutes', '10081'], /a number up to 10080/],
  [['deny'], /request/],
])('consent %j is wrong usage', async (words, message) => {
  const home = await serve({});
  const { code, errors } = await runCommand(home, 'consent', ...words);
  expect(code).toBe(2);
  expect(errors).toMatch(message);
});

test('status says the policy, whose word it is, the network, and what answers the open consent request', async () => {
  const status = someStatus({
    protection: { state: 'asking', upstream: 'Quad9' },
    consentRequests: [someConsentRequest()],
    network: { id: 'x', label: 'the café', authenticated: false },
    groups: [
      {
        id: '',
        names: [],
        policy: 'warn',
        why: 'your settings',
        rungs: ['tcp', 'udp'],
        strategy: 'ordered',
        consent: 'anyone',
        state: { state: 'asking', upstream: 'Quad9' },
      },
      {
        id: 'corp',
        names: ['corp.example'],
        policy: 'refuse',
        why: 'Corp',
        rungs: ['tcp'],
        strategy: 'ordered',
        consent: 'anyone',
        state: { state: 'private', upstream: 'office', tls: 'TLS 1.3' },
      },
    ],
  });
  const home = await serve({ 'status.get': () => succeed(status) });
  const { out } = await runCommand(home, 'status');
  expect(out).toContain(
    'Policy      warn, down to tcp, udp, anyone who controls Sotto may allow it, by your settings\n',
  );
  expect(out).toContain(
    '  corp (corp.example): refuse, by Corp; Your queries go to office over TLS 1.3.\n',
  );
  expect(out).toContain('Network     the café; no upstream has proved itself here yet\n');
  const [sentence, blank, allow] = out.split('\n');
  expect([sentence, blank]).toEqual([status.sentence, '']);
  expect(allow).toMatch(/^ {2}sotto consent allow kfpm --minutes 30 /);
  expect(out.match(/can't be reached encrypted/g)).toHaveLength(1);
});

/** What the doctor says of the running service, and repeats of what the service says of itself. */
import { describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { describeHealthIssue } from '../../contract/status/health-issue.ts';
import { judgeService, judgeStatus } from '../../service/doctor/service-check.ts';
import { someConsentRequest, someStatus } from '../fixtures/made-up.ts';
import { readVersion } from '../version.ts';

test('a service of another version is named with both', () => {
  const hello = { contract: 1, pid: 1, role: 'administer' as const };
  expect(judgeService({ ...hello, version: readVersion() })).toMatchObject({ verdict: 'ok' });
  expect(judgeService({ ...hello, version: '0.0.9' })).toMatchObject({
    verdict: 'fail',
    text: `The service is of version 0.0.9, this command of ${readVersion()}.`,
    remedy: 'restart the service',
  });
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
        'Where no private path works, queries leave in cleartext until one works again (down to tcp, udp): "fallback", by the defaults.',
      ],
      [
        'corp',
        'For corp.example (group corp), you are asked before any leaves in cleartext (which leave no way): "warn", by Corp.',
      ],
    ]);
  });

  test('what waits for an answer, with the words to give it, and nothing twice', () => {
    const consentRequests = [someConsentRequest({ id: 'kfpm', networkLabel: 'the café' })];
    const health = [describeHealthIssue('asking', '', '', 1)];
    const changes = {
      consentRequests,
      health,
      protection: { state: 'asking' as const, upstream: 'A' },
    };
    expect(verdicts(changes)).toEqual([
      'guardian ok',
      'protection warn',
      ...policy,
      'consent warn',
      'ledger ok',
      'loops ok',
    ]);
    expect(found('consent', changes)).toMatchObject([
      {
        subject: 'kfpm',
        text: expect.stringMatching(/on the café, and a consent request waits/),
        remedy: expect.stringMatching(
          /sotto consent allow kfpm --minutes 30, sotto consent deny kfpm/,
        ),
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

  test('what the service can repair says how, and nothing else does', () => {
    const clear = [lease({}), lease({ id: 4, class: 'policy' }), lease({ id: 5, class: 'bypass' })];
    const health = [
      describeHealthIssue('settings-vanished', '/home/ann/.config/sotto/settings.json', '', 1),
      describeHealthIssue('settings-vanished', '/etc/sotto/policy.d/10.json', '', 1),
      describeHealthIssue('system-dns-stuck', '', '', 1),
      describeHealthIssue('system-dns-contested', '', '', 1),
      describeHealthIssue('names-claimed', '', '', 1),
    ];
    const repairs = judgeStatus(someStatus({ clear, health }))
      .map(({ check, action }) => [check, action?.method, action?.params])
      .filter(([check]) => check === 'ledger' || health.some(({ code }) => code === check));
    expect(repairs).toEqual([
      ['ledger', 'protection.on', {}],
      ['ledger', 'network.set', { policy: 'refuse' }],
      ['ledger', undefined, undefined],
      ['settings-vanished', 'settings.restore', {}],
      ['settings-vanished', undefined, undefined],
      ['system-dns-stuck', 'system.giveBack', {}],
      ['system-dns-contested', 'system.take', {}],
      ['names-claimed', undefined, undefined],
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

import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import type { ProtectionState } from '../../contract/protection/protection-state.ts';
import { describeHealthIssue, type HealthIssueCode } from '../../contract/status/health-issue.ts';
import type { SystemDnsStatus } from '../../contract/system/system-dns.ts';
import { idleUpstream } from '../engine/fake-engine.ts';
import { createStatusJournal, differences, type JournalFacts } from './status-journal.ts';

const taken: SystemDnsStatus = {
  mechanism: 'resolved',
  wanted: true,
  taken: true,
  since: 1,
  links: ['eth0'],
  givenBackFor: null,
  contest: null,
  trouble: null,
};
const away: SystemDnsStatus = { ...taken, taken: false, since: null, links: [] };
const trouble = { code: 'no-helper', message: '', remedy: '', subject: null } as never;

const quiet: JournalFacts = {
  systemDns: away,
  upstreams: [],
  groups: [],
  clear: [],
  health: [],
};

/** Stands in every field that could hold a queried name, or a person's own text. */
const secret = 'hush.example';

function issue(code: HealthIssueCode, subject = '') {
  return describeHealthIssue(code, subject, secret, 0);
}

function group(state: ProtectionState): JournalFacts['groups'][number] {
  return { id: 'corp', names: [secret], state } as JournalFacts['groups'][number];
}

const entry: LedgerEntry = {
  id: 7,
  class: 'bypass',
  network: secret,
  networkLabel: secret,
  group: '',
  rule: secret,
  reason: secret,
  who: secret,
  since: 0,
  until: null,
  count: 3,
  closed: null,
};
const impostor: JournalFacts = {
  ...quiet,
  upstreams: [
    {
      ...idleUpstream,
      id: 'far',
      label: 'far',
      state: 'resting',
      lastError: { code: 'certificate-name', text: secret },
    },
  ],
  health: [issue('certificate-wrong', 'far'), issue('downgrade-attempt', 'far')],
};

test.each<[string, Partial<JournalFacts>, Partial<JournalFacts>, unknown[]]>([
  ['nothing new', {}, {}, []],
  [
    'DNS taken',
    {},
    { systemDns: taken },
    [['dns-taken', { mechanism: 'resolved', links: ['eth0'] }]],
  ],
  [
    'given back on a wish',
    { systemDns: taken },
    { systemDns: { ...away, wanted: false } },
    [['dns-given-back', { because: 'not-wanted' }]],
  ],
  [
    'given back by off',
    { systemDns: taken },
    { systemDns: { ...away, givenBackFor: 'off' } },
    [['dns-given-back', { because: 'off' }]],
  ],
  [
    'contested, closed, and lost to it',
    { systemDns: taken },
    { systemDns: { ...away, contest: { since: 1, closed: true, constant: false } } },
    [
      ['dns-contested', { closed: true }],
      ['dns-lost', { code: null }],
    ],
  ],
  [
    'the contest is over',
    { systemDns: { ...taken, contest: { since: 1, closed: true, constant: false } } },
    { systemDns: taken },
    [['dns-contest-over', {}]],
  ],
  ['not taken yet', {}, { systemDns: away }, []],
  [
    'it can not be taken',
    {},
    { systemDns: { ...away, trouble } },
    [['dns-lost', { code: 'no-helper' }]],
  ],
  [
    'an impostor',
    {},
    impostor,
    [
      ['authentication-failed', { upstream: 'far', code: 'certificate-name' }],
      ['downgrade-evidence', { upstream: 'far' }],
    ],
  ],
  ['it is itself again', impostor, {}, [['authentication-restored', { upstream: 'far' }]]],
  [
    'protection of a group',
    { groups: [group({ state: 'starting', upstream: 'far' })] },
    { groups: [group({ state: 'refusing', why: secret })] },
    [['protection-changed', { group: 'corp', state: 'refusing' }]],
  ],
  [
    'a permission',
    {},
    { clear: [entry] },
    [['cleartext-permitted', { entry: 7, class: 'bypass', group: '' }]],
  ],
  [
    'its end',
    { clear: [entry] },
    {},
    [['cleartext-ended', { entry: 7, class: 'bypass', count: 3 }]],
  ],
  [
    'an issue, of whatever subjects',
    {},
    { health: [issue('wide-rule', secret), issue('wide-rule', `b.${secret}`), issue('asking')] },
    [['issue-raised', { issue: 'wide-rule', severity: 'warning' }]],
  ],
  ['its end', { health: [issue('wide-rule')] }, {}, [['issue-over', { issue: 'wide-rule' }]]],
])('%s', (_what, before, now, expected) => {
  const notes = differences({ ...quiet, ...before }, { ...quiet, ...now });
  expect(notes.map(({ event, fields }) => [event, fields])).toEqual(expected);
  expect(JSON.stringify(notes)).not.toContain('hush');
});

test('the first status is told as it is, and the end of the service gives DNS back', () => {
  const told: unknown[] = [];
  const journal = createStatusJournal({ note: (event, fields) => told.push([event, fields]) });
  journal.see({ ...quiet, systemDns: taken });
  journal.end(away);
  expect(told).toEqual([
    ['dns-taken', { mechanism: 'resolved', links: ['eth0'] }],
    ['dns-given-back', { because: 'stopping' }],
  ]);
});

test('a service that ends and leaves DNS as it is says nothing of it', () => {
  const told: unknown[] = [];
  const journal = createStatusJournal({ note: (event) => told.push(event) });
  journal.see({ ...quiet, systemDns: taken });
  journal.end(taken);
  expect(told).toEqual(['dns-taken']);
});

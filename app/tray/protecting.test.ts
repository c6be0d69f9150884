import { expect, test } from 'vitest';
// biome-ignore-start lint/style/noRestrictedImports: tests share their made-up service with the command line's.
import { someStatus, someSystemDns } from '../cli/fixtures/made-up.ts';
// biome-ignore-end lint/style/noRestrictedImports: tests share their made-up service with the command line's.
import { fail, type Result, succeed } from '../contract/errors.ts';
import { protectSentences as english } from '../contract/sentences/protect.ts';
import { protectSentences as german } from '../contract/sentences/protect-de.ts';
import type { ServiceStatus } from '../contract/status/service-status.ts';
import { createProtecting } from './protecting.ts';
import type { SaidNotice } from './said-notice.ts';
import { en } from './text/en.ts';

const own = someStatus({ systemDns: someSystemDns({ wanted: false, taken: false }) });
const led = someStatus({ systemDns: someSystemDns() });
const checking = someStatus({
  systemDns: someSystemDns(),
  verdict: {
    is: 'connecting',
    waitsFor: 'look',
    upstream: 'Quad9',
    exceptions: 0,
    contested: false,
    around: [],
  },
});

interface Answers {
  service: Result<unknown>;
  authority?: Result<null>;
  status?: ServiceStatus;
}

function scene({ service, authority, status = own }: Answers) {
  const calls: string[] = [];
  const told: SaidNotice[] = [];
  const link = {
    call: async (name: string) => {
      calls.push(name);
      if (name === 'status.get') return succeed(status);
      if (name !== 'system.status') return service;
      return succeed({ helper: null, startHelper: 'sudo sotto-helper' });
    },
  };
  const protecting = createProtecting({
    link: link as never,
    authority: {
      async ask(change) {
        calls.push(`pkexec ${change}`);
        return authority ?? fail('internal', 'not expected', '');
      },
    },
    words: en,
    notify: (said) => told.push(said),
    now: () => 0,
  });
  return { protecting, calls, bodies: () => told.map(({ title, body }) => `${title}: ${body}`) };
}

const mayNot = fail('forbidden', 'you have the role observe', 'ask');

test('whoever may take it needs no prompt, and is told once a query arrived', async () => {
  const { protecting, calls, bodies } = scene({ service: succeed({}), status: checking });
  await protecting.begin('take');
  protecting.follow(checking);
  expect([calls, bodies()]).toEqual([['system.take', 'status.get'], []]);
  protecting.follow(led);
  protecting.follow(led);
  expect(bodies()).toEqual(['Protect this computer: Working: a query of this computer arrived.']);
});

test('whoever may not is sent to the authority, with the same word', async () => {
  const { protecting, calls } = scene({ service: mayNot, authority: succeed(null) });
  await protecting.begin('give-back');
  expect(calls).toEqual(['system.giveBack', 'pkexec give-back', 'status.get']);
  const other = scene({ service: mayNot, authority: succeed(null), status: led });
  await other.protecting.begin('take');
  expect(other.calls).toEqual(['system.take', 'pkexec take', 'status.get']);
  expect(other.bodies()).toHaveLength(1);
});

test.each<[string, Answers, RegExp]>([
  [
    'dismissed',
    { service: mayNot, authority: fail('authority-dismissed', 'm', 'r') },
    /^Not changed: The password prompt was closed, so nothing was changed\.$/,
  ],
  [
    'without an agent',
    { service: mayNot, authority: fail('authority-unreachable', 'm', 'r') },
    /terminal: sudo sotto system take$/,
  ],
  [
    'without a helper',
    { service: fail('helper-missing', 'm', 'r') },
    /goes on by itself: sudo sotto-helper$/,
  ],
  [
    'with a reason of its own',
    { service: fail('no-mechanism', 'there is no way', 'listen on 53') },
    /to it: there is no way\. listen on 53\.$/,
  ],
  [
    'with an unknown one',
    { service: fail('connection-lost', 'it ended\u202e', 'try again') },
    /^Not changed: it ended\\u202e\. try again\.$/,
  ],
])('a refusal is explained: %s', async (_, answers, expected) => {
  const { protecting, bodies } = scene(answers);
  await protecting.begin('take');
  expect(bodies()).toEqual([expect.stringMatching(expected)]);
  protecting.follow(led);
  expect(bodies()).toHaveLength(1);
});

test.each([
  ['English', english],
  ['German', german],
])('the sentences are for people who administer nothing (%s)', (_, sentences) => {
  for (const sentence of Object.values(sentences))
    expect(sentence).not.toMatch(/\b(IP|TLS|DNS|upstream|resolver|root|polkit|in clear)\b/i);
});

/** Which calls are recorded, as whose, and that a handler's outcome passes as it is. */
import { expect, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import {
  type MethodName,
  mayCall,
  type Role,
  type ServiceHandlers,
  serviceApi,
} from '../../contract/service-api.ts';
import { someSession } from '../control/session-fixture.ts';
import type { Cause } from './audit-log.ts';
import { audited, auditedRefusals } from './audited-handlers.ts';
import { followCalls } from './calls.ts';
import { decidesNothing } from './decides-nothing.ts';

const locked = fail('setting-locked', 'it is locked', 'ask', 'upstreams');
const calls = followCalls();
const file = { file: '/etc/a', before: null, after: '' };
const identity = { certificate: { fingerprint: 'f1' } };
const handlers = {
  'upstream.add': () => locked,
  'pause.redeem': async () => succeed({ minutes: 5 }),
  'status.get': () => succeed('anything'),
  'settings.set': () => fail('forbidden', 'it takes protection away', 'ask', 'queryLog.mode'),
  'network.set': () => fail('forbidden', 'it is another network', 'ask', 'network'),
  'rule.answer': () => succeed({}),
  'network.forget': () => succeed({ id: 'n1', name: 'Home', policy: 'refuse' }),
  'network.restore': () => succeed({ id: 'n1', name: 'Home', policy: null }),
  'protection.on': async () => {
    await null;
    calls.hadNoEffect();
    return succeed({});
  },
  'log.clear': () => succeed({}),
  'service.stop': () => succeed({}),
  'upstream.forget': () => succeed({ tickets: 1, evidence: false }),
  'portal.open': () => succeed({ url: 'http://secret.test/' }),
  'identity.add': () => succeed({ identity, replaced: true }),
  'identity.remove': () => succeed({ identity }),
  'coverage.fix': ({ dryRun }: { dryRun?: boolean }) =>
    succeed({ fix: 'firefox', files: [file], proved: dryRun ? null : true }),
  'coverage.undo': () => succeed({ fix: 'firefox', files: [] }),
} as unknown as ServiceHandlers;

type Called = Exclude<MethodName, 'hello'>;

async function call(name: Called, role: Role, params: object = { code: 'x' }) {
  const notes: unknown[] = [];
  const causes: (Cause | undefined)[] = [];
  const audit = {
    note(note: unknown, cause?: Cause) {
      notes.push(note);
      causes.push(cause);
    },
  };
  const { session } = someSession(role);
  const handler = audited(handlers, audit, calls, 77)[name] as (...given: unknown[]) => unknown;
  const outcome = await handler(params, { ...session, account: role === 'control' ? 5 : null });
  return { outcome, notes, causes };
}

test('a locked setting is recorded by whatever method somebody tried to change it', async () => {
  expect(await call('upstream.add', 'control')).toEqual({
    outcome: locked,
    notes: [
      ['change-refused', { method: 'upstream.add', setting: 'upstreams', code: 'setting-locked' }],
    ],
    causes: [{ account: 5, isTrusted: false }],
  });
});

test.each([
  ['settings.set', 'queryLog.mode'],
  ['network.set', null],
] as const)(
  'what only an administrator may do is recorded where %s is refused',
  async (method, setting) => {
    const { notes } = await call(method, 'control');
    expect(notes).toEqual([['change-refused', { method, setting, code: 'forbidden' }]]);
  },
);

test.each([
  ['log.clear', {}, ['query-log-erased', {}]],
  ['service.stop', {}, ['stop-asked', {}]],
  ['portal.open', {}, ['login-opened', {}]],
  ['upstream.forget', {}, ['upstream-forgotten', { all: true, evidence: false }]],
  [
    'identity.add',
    { name: 'bank', key: 'secret' },
    ['identity-added', { name: 'bank', fingerprint: 'f1', replaced: true }],
  ],
  ['identity.remove', { name: 'bank' }, ['identity-removed', { name: 'bank' }]],
  ['coverage.fix', { fix: 'firefox' }, ['coverage-fixed', { fix: 'firefox', files: ['/etc/a'] }]],
  ['network.restore', {}, ['network-named', { network: 'n1' }]],
] as const)('%s is recorded', async (method, params, note) => {
  expect((await call(method, 'administer', params)).notes).toEqual([note]);
});

test.each([
  ['protection.on', {}],
  ['coverage.fix', { fix: 'firefox', dryRun: true }],
  ['coverage.undo', { fix: 'firefox' }],
] as const)('%s is not recorded where it changed nothing', async (method, params) => {
  expect((await call(method, 'administer', params)).notes).toEqual([]);
});

const all = Object.keys(serviceApi.methods) as MethodName[];

test.each(['observe', 'control'] as const)(
  'what the role %s may not decide is recorded where the control server refuses it',
  (role) => {
    const told: unknown[] = [];
    const note = (...given: unknown[]) => told.push(given);
    const refused = auditedRefusals({ note }, 77);
    const wanted = all.filter((name) => !mayCall(role, name));
    for (const name of wanted) refused(name, { account: role === 'control' ? 5 : null });
    const account = role === 'control' ? 5 : 77;
    expect(told).toEqual(
      wanted
        .filter((name) => !decidesNothing.has(name))
        .map((method) => [
          ['change-refused', { method, setting: null, code: 'forbidden' }],
          { account, isTrusted: false },
        ]),
    );
    const tried = ['log.clear', 'profile.leave', 'settings.accept', 'network.forget'];
    for (const method of [...tried, 'service.stop', 'coverage.undo', 'identity.remove'])
      expect(JSON.stringify(told)).toContain(method);
  },
);

test('every method with a record of its own counts as one that decides something', () => {
  const inTable = Object.keys(handlers).filter((name) => name !== 'status.get');
  expect(inTable.filter((name) => decidesNothing.has(name as MethodName))).toEqual([]);
});

test.each([
  [true, 'claim-accepted'],
  [false, 'claim-denied'],
])(
  'a claim of a network with the answer %s is recorded without the names that it claims',
  async (believe, event) => {
    const { notes } = await call('rule.answer', 'control', {
      suffix: 'bank.example',
      link: 'wlan0',
      believe,
    });
    expect(notes).toEqual([[event, { link: 'wlan0' }]]);
  },
);

test('that a network with a policy of its own is forgotten is recorded without the network', async () => {
  const { notes } = await call('network.forget', 'administer');
  expect(notes).toEqual([
    ['network-policy-set', { network: null, policy: null }],
    ['network-named', { network: null }],
  ]);
});

test('a connection that names no account is of the one who runs the service, and no role is without a limit', async () => {
  const { causes } = await call('upstream.add', 'administer');
  expect(causes).toEqual([{ account: 77, isTrusted: false }]);
});

test('a right code is recorded whatever was recorded before', async () => {
  const { outcome, notes, causes } = await call('pause.redeem', 'control');
  expect([outcome, notes]).toEqual([
    succeed({ minutes: 5 }),
    [['pause-code-accepted', { minutes: 5 }]],
  ]);
  expect(causes).toEqual([{ account: 5, isTrusted: true }]);
});

test('what decides nothing is not recorded', async () => {
  expect((await call('status.get', 'control')).notes).toEqual([]);
});

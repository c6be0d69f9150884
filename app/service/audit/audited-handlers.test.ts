/** Whose calls are recorded without a limit, and that a handler's outcome passes as it is. */
import { expect, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import type { Role, ServiceHandlers } from '../../contract/service-api.ts';
import { someSession } from '../control/session-fixture.ts';
import type { Cause } from './audit-log.ts';
import { audited } from './audited-handlers.ts';

const locked = fail('setting-locked', 'it is locked', 'ask', 'upstreams');
const handlers = {
  'upstream.add': () => locked,
  'pause.redeem': async () => succeed({ minutes: 5 }),
  'status.get': () => succeed('anything'),
  'settings.set': () => fail('forbidden', 'it takes protection away', 'ask', 'queryLog.mode'),
  'network.set': () => fail('forbidden', 'it is another network', 'ask', 'network'),
  'rule.answer': () => succeed({}),
  'network.forget': () => succeed({ id: 'n1', policy: 'refuse' }),
} as unknown as ServiceHandlers;

type Called =
  | 'upstream.add'
  | 'pause.redeem'
  | 'status.get'
  | 'settings.set'
  | 'network.set'
  | 'rule.answer'
  | 'network.forget';

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
  const settings = { during: <Outcome>(_account: unknown, call: () => Outcome) => call() };
  const handler = audited(handlers, audit, settings, 77)[name] as (...given: unknown[]) => unknown;
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
  expect(notes).toEqual([['network-policy-set', { network: null, policy: null }]]);
});

test('a connection that names no account is of the one who runs the service, and administrators have no limit', async () => {
  const { causes } = await call('upstream.add', 'administer');
  expect(causes).toEqual([{ account: 77, isTrusted: true }]);
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

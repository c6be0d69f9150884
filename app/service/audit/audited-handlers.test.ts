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
} as unknown as ServiceHandlers;

async function call(name: 'upstream.add' | 'pause.redeem' | 'status.get', role: Role) {
  const notes: unknown[] = [];
  const causes: (Cause | undefined)[] = [];
  const audit = {
    note(note: unknown, cause?: Cause) {
      notes.push(note);
      causes.push(cause);
    },
  };
  const { session } = someSession(role);
  const handler = audited(handlers, audit, 77)[name] as (...given: unknown[]) => unknown;
  const outcome = await handler(
    { code: 'x' },
    { ...session, account: role === 'control' ? 5 : null },
  );
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

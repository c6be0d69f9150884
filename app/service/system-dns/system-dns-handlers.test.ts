import { expect, test } from 'vitest';
import { succeed } from '../../contract/errors.ts';
import type { ServiceSession } from '../../contract/service-api.ts';
import type { WantedEdit } from '../settings/settings-editor.ts';
import { createSystemDnsHandlers } from './system-dns-handlers.ts';

const trouble = { code: 'no-helper', message: 'no helper', remedy: 'start it', subject: null };
const session = { role: 'administer' } as ServiceSession;

test.each([
  ['a take that fails changes nothing', 'system.take', undefined, false, undefined],
  ['nor where it was refused in so many words before', 'system.take', false, false, false],
  ['a wish of before stays', 'system.take', true, false, true],
  ['a take that works is kept', 'system.take', undefined, true, true],
  ['a give-back that fails is tried again', 'system.giveBack', true, true, false],
] as const)('%s', async (_, method, before, taken, after) => {
  let setting: unknown = before;
  const handlers = createSystemDnsHandlers({
    systemDns: {
      insist: async () => {},
      details: async () => ({ status: { taken, trouble } }),
    } as never,
    coverage: {} as never,
    editor: {
      edit: async ({ value }: WantedEdit) => {
        const previous = { set: setting !== undefined, value: setting ?? null };
        const wanted = value({} as never);
        if (wanted.ok) setting = wanted.value;
        return succeed({ previous }) as never;
      },
    },
    now: () => 0,
  });
  const told = await handlers[method]({}, session);
  expect(setting).toBe(after);
  expect(told.ok).toBe(method === 'system.take' && taken);
});

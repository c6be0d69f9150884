import { expect, test } from 'vitest';
import { succeed } from '../../contract/errors.ts';
import type { ServiceSession } from '../../contract/service-api.ts';
import type { WantedEdit } from '../settings/settings-editor.ts';
import { createSystemDnsHandlers } from './system-dns-handlers.ts';

const trouble = { code: 'no-helper', message: 'no helper', remedy: 'start it', subject: null };
const session = { role: 'administer' } as ServiceSession;
const stays = /^start it; it stays wanted and is tried again, until "sotto system/;

test.each([
  ['a take that works', 'system.take', undefined, { taken: true, trouble: null }, true, null],
  ['a take that fails says it', 'system.take', undefined, { taken: false, trouble }, true, stays],
  ['so does a give-back', 'system.giveBack', true, { taken: true, trouble }, false, stays],
  ['where there is no way', 'system.take', undefined, null, undefined, /^point programs/],
  ['nor was before', 'system.take', false, null, false, /^point programs/],
] as const)('%s: what is wanted afterwards', async (_, method, before, status, after, remedy) => {
  let setting: unknown = before;
  const handlers = createSystemDnsHandlers({
    systemDns: { insist: async () => {}, details: async () => ({ status }) } as never,
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
  if (remedy === null) expect(told.ok).toBe(true);
  else expect(told).toMatchObject({ failure: { remedy: expect.stringMatching(remedy) } });
});

test('however many ask for a probe, one is made at a time', async () => {
  let looks = 0;
  let found = (_findings: never[]) => {};
  const handlers = createSystemDnsHandlers({
    systemDns: {} as never,
    coverage: {
      look() {
        looks += 1;
        return new Promise<never[]>((resolve) => {
          found = resolve;
        });
      },
    } as never,
    editor: {} as never,
    now: () => 0,
  });
  const asked = Array.from({ length: 16 }, () => handlers['system.probe']({}, session));
  expect(looks).toBe(1);
  found([]);
  for (const one of await Promise.all(asked)) expect(one).toEqual(succeed({ at: 0, findings: [] }));
  void handlers['system.probe']({}, session);
  expect(looks).toBe(2);
});

import { expect, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import type { GateRequest } from '../../contract/system/gate-protocol.ts';
import { type ClosingFacts, closingWanted, createClosing } from './closing.ts';

const usual: ClosingFacts = {
  setting: 'contested',
  strict: true,
  ours: true,
  contested: false,
  stands: true,
};

const rows: [string, Partial<ClosingFacts>, ReturnType<typeof closingWanted>][] = [
  ['nobody changes anything', {}, null],
  ['somebody changed it once', { contested: true }, 'contested'],
  ['somebody changed it, and it is back', { contested: true, stands: true }, 'contested'],
  ['between two networks', { stands: false }, 'contested'],
  ['policy allows cleartext', { strict: false, contested: true }, null],
  ['never', { setting: 'never', contested: true, stands: false }, null],
  ['always, under any policy', { setting: 'always', strict: false }, 'always'],
  ['always, and nothing is ours', { setting: 'always', ours: false }, null],
  ['given back', { ours: false, contested: true, stands: false }, null],
];

test.each(rows)('%s', (_situation, facts, wanted) => {
  expect(closingWanted({ ...usual, ...facts })).toBe(wanted);
});

test('the gate is asked for what is not so yet, and for nothing else', async () => {
  const asked: GateRequest[] = [];
  const closing = createClosing({
    async ask(request) {
      asked.push(request);
      return succeed(request.verb === 'close' ? { since: 7, why: request.why } : null);
    },
  });
  await closing.learn();
  for (const contested of [false, true, true, false]) await closing.settle({ ...usual, contested });
  expect(asked).toEqual([
    { verb: 'status' },
    { verb: 'close', why: 'contested' },
    { verb: 'open' },
  ]);
});

test('what can not be closed says why and is tried again; what can not be opened is a failure', async () => {
  const answers = [
    fail('gate-missing', 'nftables is not installed', 'install it'),
    succeed({ since: 7, why: 'contested' as const }),
    fail('gate-missing', 'the gate does not run', 'start it'),
  ];
  const closing = createClosing({ ask: async () => answers.shift() ?? succeed(null) });
  expect(await closing.settle({ ...usual, contested: true })).toEqual(succeed(null));
  expect([closing.closed(), closing.unavailable()]).toEqual([null, 'nftables is not installed']);
  await closing.settle({ ...usual, contested: true });
  expect([closing.closed()?.since, closing.unavailable()]).toEqual([7, null]);
  expect((await closing.settle({ ...usual, ours: false })).ok).toBe(false);
  expect(closing.closed()?.since).toBe(7);
});

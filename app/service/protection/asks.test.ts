import { expect, test } from 'vitest';
import { askDeadlineMs, askId, createAsks } from './asks.ts';

const question = {
  network: 'cafe',
  networkLabel: 'the café',
  group: '',
  upstream: 'A',
  why: 'A: timed out.',
  rungs: ['tcp' as const],
  consent: 'anyone' as const,
};
const ann = { who: 'ann', role: 'control' } as const;

function someAsks() {
  let now = 100;
  let last = 0;
  const asks = createAsks(
    () => now,
    () => `q${++last}`,
  );
  return {
    asks,
    wait: (ms: number) => {
      now += ms;
    },
  };
}

test('one question at a time for a group; the next withdraws the one before', () => {
  const { asks } = someAsks();
  asks.open(question);
  asks.open({ ...question, group: 'corp' });
  asks.open(question);
  expect(asks.list().map(({ id, group, state }) => [id, group, state])).toEqual([
    ['q3', '', 'open'],
    ['q2', 'corp', 'open'],
    ['q1', '', 'withdrawn'],
  ]);
  expect(asks.allow('q1', 5, ann)).toMatchObject({
    failure: { code: 'ask-closed', remedy: 'see: sotto ask list' },
  });
});

test('answers say who, when and until when', () => {
  const { asks, wait } = someAsks();
  asks.open(question);
  wait(50);
  expect(asks.allow('q1', 2, ann)).toMatchObject({
    value: { state: 'allowed', who: 'ann', answeredAt: 150, until: 150 + 120_000 },
  });
  expect(asks.deny('q1', ann)).toMatchObject({
    failure: { code: 'ask-closed', message: 'the question "q1" is closed: ann allowed it' },
  });
});

test.each(['denied', 'unanswered', 'open'] as const)('%s: can be retried, once', (state) => {
  const { asks } = someAsks();
  asks.open(question);
  if (state === 'denied') asks.deny('q1', ann);
  if (state === 'unanswered') asks.expire('');
  expect(asks.retry('q1', ann)).toMatchObject({ value: { state: 'retried' } });
  expect(asks.retry('q1', ann)).toMatchObject({ failure: { code: 'ask-closed' } });
});

test('the deadline holds before anybody has noticed it', () => {
  const { asks, wait } = someAsks();
  asks.open(question);
  wait(askDeadlineMs - 1);
  expect(asks.list()[0]?.state).toBe('open');
  wait(1);
  expect(asks.deny('q1', ann)).toMatchObject({
    failure: { remedy: 'to be asked anew: sotto ask retry q1' },
  });
});

test('a question nobody asked has its own error', () => {
  expect(someAsks().asks.deny('zzzz', ann)).toMatchObject({ failure: { code: 'unknown-ask' } });
});

test('what is kept of old questions is bounded', () => {
  const { asks } = someAsks();
  for (let index = 0; index < 60; index++) asks.open(question);
  expect(asks.list()).toHaveLength(50);
  expect(asks.list()[0]?.id).toBe('q60');
});

test('ids are four letters that are no word of another kind', () => {
  expect(askId(() => 0)).toBe('aaaa');
  expect(askId(() => 0.9999)).toBe('zzzz');
  expect(askId()).toMatch(/^[a-z]{4}$/);
});

import { expect, test } from 'vitest';
import { fail, type Result, succeed } from '../../../app/contract/errors.ts';
import type { Session } from '../../state/session.ts';
import { attempt, begin, dismiss } from './attempt.ts';

/** A session whose prompt the test answers. */
function scene(asked: Result<unknown>) {
  const calls: string[] = [];
  const prompts: { signal: AbortSignal; answer(result: Result<null>): void }[] = [];
  const session = {
    async call(name: string) {
      calls.push(name);
      if (name !== 'system.status') return asked;
      return succeed({ helper: null, startHelper: 'sudo x' });
    },
    askAuthority(change: string, signal: AbortSignal) {
      calls.push(`authority ${change}`);
      return new Promise((answer) => prompts.push({ signal, answer }));
    },
  } as unknown as Session;
  return { session, calls, prompts };
}

const mayNot = fail('forbidden', 'you may not', 'ask');

test('whoever may needs no prompt', async () => {
  const { session, calls } = scene(succeed({}));
  expect(await begin(session, 'take')).toBe(true);
  expect([calls, attempt.get()]).toEqual([['system.take'], { is: 'made', change: 'take' }]);
  dismiss();
  expect(attempt.get()).toBeNull();
});

test('only a refusal for the role opens a prompt', async () => {
  const { session, calls } = scene(fail('setting-locked', 'locked', 'ask'));
  expect(await begin(session, 'give-back')).toBe(false);
  expect(calls).toEqual(['system.giveBack', 'system.status']);
  expect(attempt.get()).toMatchObject({ is: 'refused', startHelper: 'sudo x' });
  dismiss();
});

test('one at a time, and a person who closes the dialog closes the prompt', async () => {
  const { session, calls, prompts } = scene(mayNot);
  const first = begin(session, 'take');
  await expect.poll(() => prompts.length).toBe(1);
  expect(attempt.get()).toEqual({ is: 'prompting', change: 'take' });
  expect(await begin(session, 'give-back')).toBe(false);
  dismiss();
  expect(prompts[0]?.signal.aborted).toBe(true);
  prompts[0]?.answer(fail('authority-dismissed', 'closed', 'again'));
  expect(await first).toBe(false);
  expect([attempt.get(), calls.filter((name) => name.startsWith('authority'))]).toEqual([
    null,
    ['authority take'],
  ]);
});

test('what a dismissed prompt says later does not cover the next one', async () => {
  const { session, prompts } = scene(mayNot);
  const first = begin(session, 'take');
  await expect.poll(() => prompts.length).toBe(1);
  dismiss();
  const second = begin(session, 'take');
  await expect.poll(() => prompts.length).toBe(2);
  prompts[0]?.answer(fail('authority-dismissed', 'closed', 'again'));
  await first;
  expect(attempt.get()).toEqual({ is: 'prompting', change: 'take' });
  prompts[1]?.answer(succeed(null));
  expect(await second).toBe(true);
  expect(attempt.get()).toEqual({ is: 'made', change: 'take' });
  dismiss();
});

import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

function stage() {
  const rounds: (() => void)[] = [];
  const begun: string[] = [];
  const turns = new Turns((work) => rounds.push(work));
  const spender = (account: number, connection = account) => {
    const one = {
      isReading: true,
      reads: () => one.isReading,
      spent: () => ({ account, connection }),
    };
    return one;
  };
  return {
    turns,
    spender,
    wait: (who: ReturnType<typeof spender>, name: string) =>
      turns.take(who).then(() => begun.push(name)),
    async run() {
      for (let round = rounds.shift(); round !== undefined; round = rounds.shift()) {
        round();
        await Promise.resolve();
      }
      return begun.splice(0);
    },
  };
}

test('who kept the service busy least is next, by account and then by connection', async () => {
  const { spender, wait, run } = stage();
  const busy = spender(900, 500);
  void wait(busy, 'busy');
  void wait(busy, 'busy again');
  void wait(spender(900, 1), 'the same account, another connection');
  void wait(spender(2, 2), 'another account');
  expect(await run()).toEqual([
    'another account',
    'the same account, another connection',
    'busy',
    'busy again',
  ]);
});

test('of those that come to the same, each connection has one in its turn', async () => {
  const { spender, wait, run } = stage();
  const [one, other] = [spender(0), spender(0)];
  void wait(one, 'one');
  void wait(one, 'one again');
  void wait(other, 'other');
  expect(await run()).toEqual(['one', 'other', 'one again']);
  void wait(other, 'later');
  expect(await run()).toEqual(['later']);
});

test('who comes new is heard between two of many', async () => {
  const { spender, wait, run } = stage();
  const many = spender(50);
  void wait(many, 'first').then(() => void wait(spender(0), 'new'));
  for (let each = 0; each < 3; each++) void wait(many, `more ${each}`);
  expect((await run()).indexOf('new')).toBeLessThan(3);
});

test('who does not read waits, and nobody with them', async () => {
  const { turns, spender, wait, run } = stage();
  const slow = spender(0);
  slow.isReading = false;
  void wait(slow, 'slow');
  void wait(spender(9), 'other');
  expect(await run()).toEqual(['other']);
  slow.isReading = true;
  turns.again();
  expect(await run()).toEqual(['slow']);
});

test('of a connection that has ended nothing waits', async () => {
  const { turns, spender, wait, run } = stage();
  const gone = spender(0);
  void wait(gone, 'gone');
  void wait(spender(9), 'other');
  turns.leave(gone);
  void wait(gone, 'gone later');
  expect(await run()).toEqual(['other']);
});

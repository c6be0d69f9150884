import { Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSeats } from './connection-seats.ts';
import { Turns } from './turns.ts';

function stage() {
  const rounds: (() => void)[] = [];
  const begun: string[] = [];
  const clock = { now: 0 };
  const turns = new Turns(
    (work) => rounds.push(work),
    () => clock.now,
  );
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
    clock,
    spender,
    wait: (who: ReturnType<typeof spender>, name: string, costs = 0) =>
      turns.take(who, costs).then(() => begun.push(name)),
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

test('of an account, what takes long comes after what does not', async () => {
  const { spender, wait, run } = stage();
  void wait(spender(900, 0), 'a long list', 10);
  void wait(spender(900, 0), 'another', 10);
  void wait(spender(900, 1), 'the status', 3);
  void wait(spender(2, 2), 'a long list of another account', 10);
  expect(await run()).toEqual([
    'a long list of another account',
    'the status',
    'a long list',
    'another',
  ]);
});

test('who stays is not always behind those who come anew for each request', async () => {
  const { clock, spender, wait, run } = stage();
  const window = spender(900, 6);
  void wait(window, 'window');
  clock.now = 599;
  void wait(spender(900, 0), 'new');
  clock.now = 601;
  void wait(spender(900, 0), 'newer');
  expect(await run()).toEqual(['new', 'window', 'newer']);
});

test('waiting is counted from when those before it of its own connection were begun', async () => {
  const { clock, spender, wait, run } = stage();
  const many = spender(900, 1);
  for (let each = 0; each < 3; each++) void wait(many, `many ${each}`);
  clock.now = 10_000;
  void wait(spender(900, 0), 'new');
  expect(await run()).toEqual(['many 0', 'new', 'many 1', 'many 2']);
});

test('of one account it is the connection, however long the looking takes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const turns = new Turns();
  const seats = createSeats(() => {});
  const seat = () => {
    const taken = seats.take(new Socket(), 'administer', 0);
    if (!taken.ok) throw new Error(taken.failure.message);
    return taken.value;
  };
  const [fresh, busy] = [seat(), seat()];
  busy.spend(5000);
  const begun: string[] = [];
  await Promise.all([
    turns.take(fresh).then(() => begun.push('fresh')),
    turns.take(busy).then(() => begun.push('busy')),
  ]);
  expect(begun).toEqual(['fresh', 'busy']);
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

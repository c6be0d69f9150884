import { expect, test } from 'vitest';
import { fail, type Result, succeed } from '../../app/contract/errors.ts';
import type { Connection } from '../bridge/connection.ts';
import { type Clock, openSession } from './session.ts';
import { createTopic } from './topic.ts';

/** A door that opens on command, and a clock that the test moves. */
function scene() {
  const timers: { at: number; what(): void }[] = [];
  let now = 0;
  let end = () => {};
  let answer: Result<Connection> = fail('not-running', 'no', 'start it');
  let tell: (value: never) => void = () => {};
  let tries = 0;
  const clock: Clock = {
    now: () => now,
    after(milliseconds, what) {
      const timer = { at: now + milliseconds, what };
      timers.push(timer);
      return () => timers.splice(timers.indexOf(timer), 1);
    },
  };
  const connection = {
    hello: { contract: 1, version: '1', pid: 1, role: 'administer' },
    call: async () => succeed({ clear: 'snapshot' }),
    on: (_name: string, listener: (value: never) => void) => {
      tell = listener;
      return () => {};
    },
    onClose: (listener: () => void) => (end = listener),
    close: () => {},
  } as unknown as Connection;
  return {
    clock,
    door: {
      connect: async () => {
        tries += 1;
        return answer.ok ? succeed({ ...answer.value }) : answer;
      },
    },
    tries: () => tries,
    open: () => (answer = succeed(connection)),
    refuse: () => (answer = fail('forbidden', 'no', 'anew', 'page')),
    end: () => end(),
    tell: (value: unknown) => tell(value as never),
    async pass(milliseconds: number) {
      now += milliseconds;
      for (const timer of timers.filter(({ at }) => at <= now)) {
        timers.splice(timers.indexOf(timer), 1);
        timer.what();
      }
      await settle();
    },
  };
}

const settle = () => new Promise((resolve) => setTimeout(resolve));

test('waits longer from try to try, and says when the next one is', async () => {
  const { clock, door, pass } = scene();
  const { state } = openSession(door, clock);
  await settle();
  const waits: number[] = [];
  for (let tries = 0; tries < 6; tries += 1) {
    const now = state.get();
    if (now.is !== 'waiting') throw new Error(now.is);
    expect(now.lostAt).toBeNull();
    waits.push(now.retryAt - clock.now());
    await pass(now.retryAt - clock.now());
  }
  expect(waits).toEqual([1000, 2000, 4000, 8000, 15_000, 15_000]);
});

test('a connection that ends is made anew at once when asked to, and later says since when it is gone', async () => {
  const { clock, door, open, end, pass } = scene();
  open();
  const session = openSession(door, clock);
  await settle();
  expect(session.state.get().is).toBe('connected');
  await pass(500);
  end();
  expect(session.state.get()).toMatchObject({ is: 'waiting', lostAt: 500, retryAt: 1500 });
  session.retry();
  await settle();
  expect(session.state.get().is).toBe('connected');
});

test('a page that is not let in stops trying', async () => {
  const { clock, door, refuse, pass, tries } = scene();
  refuse();
  const session = openSession(door, clock);
  await settle();
  expect(session.state.get()).toEqual({ is: 'not-let-in', lostAt: null });
  await pass(60_000);
  session.retry();
  await settle();
  expect(tries()).toBe(1);
});

test('without a connection a call fails as a value', async () => {
  const { clock, door } = scene();
  const session = openSession(door, clock);
  expect(await session.call('protection.on', {})).toMatchObject({
    failure: { code: 'connection-lost' },
  });
});

test('a topic is followed once it is drawn, keeps its value while nobody answers, and is followed again', async () => {
  const { clock, door, open, end, tell, pass } = scene();
  open();
  const session = openSession(door, clock);
  await settle();
  const topic = createTopic(session, {
    follow: 'status.follow',
    params: {},
    changes: 'status.changed',
    begin: ({ clear }) => String(clear),
    change: (_before, change) => String(change),
  });
  expect(topic.get()).toBeNull();
  topic.subscribe(() => {});
  await settle();
  expect(topic.get()?.value).toBe('snapshot');
  tell('changed');
  expect(topic.get()?.value).toBe('changed');
  end();
  expect(topic.get()?.value).toBe('changed');
  await pass(1000);
  expect(topic.get()?.value).toBe('snapshot');
});

import { expect, test } from 'vitest';
import type { ServiceSession } from '../../contract/service-api.ts';
import { someSession } from '../control/session-fixture.ts';
import { createWorks, eachOf } from './works.ts';

type Work = (tell: (item: number) => void, signal: AbortSignal) => Promise<void>;

function run(
  work: Work,
  session: ServiceSession = someSession().session,
  works = createWorks(() => {}),
) {
  const told: object[] = [];
  let finish = () => {};
  const done = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const begun = works.begin<number>(session, work, (progress) => {
    told.push(progress);
    if (progress.done) finish();
  });
  if (!begun.ok) throw new Error(begun.failure.message);
  return { told, done, begun: begun.value, works, session };
}

test('items are told as they come, the end once', async () => {
  const { told, done, begun } = run(async (tell) => {
    tell(1);
    tell(2);
  });
  expect(told).toEqual([]);
  await done;
  expect(told).toEqual([
    { ...begun, items: [1], done: false, failure: null },
    { ...begun, items: [2], done: false, failure: null },
    { ...begun, items: [], done: true, failure: null },
  ]);
});

const untilStopped: Work = (tell, signal) =>
  new Promise((resolve) =>
    signal.addEventListener('abort', () => {
      tell(9);
      resolve();
    }),
  );

test('cancelled, or left by whoever began it, it ends and tells no more', async () => {
  const cancelled = run(untilStopped);
  expect(cancelled.works.cancel(cancelled.begun.work, someSession().session)).toMatchObject({
    failure: { code: 'unknown-subscription' },
  });
  expect(cancelled.works.cancel(cancelled.begun.work, cancelled.session)).toMatchObject({
    ok: true,
  });
  await cancelled.done;
  expect(cancelled.told).toMatchObject([{ items: [], done: true }]);

  const { session, close } = someSession();
  const left = run(untilStopped, session);
  setImmediate(close);
  await left.done;
  expect(left.told).toMatchObject([{ items: [], done: true }]);
});

test('a fault inside ends it as a failure', async () => {
  const bugs: unknown[] = [];
  const { told, done } = run(
    () => Promise.reject(new Error('x')),
    undefined,
    createWorks((error) => bugs.push(error)),
  );
  await done;
  expect(told).toMatchObject([{ done: true, failure: { code: 'internal' } }]);
  expect(bugs).toHaveLength(1);
});

test('of one connection a fifth work ends the first', async () => {
  const works = createWorks(() => {});
  const { session, close } = someSession();
  const all = Array.from({ length: 5 }, () => run(untilStopped, session, works));
  await all[0]?.done;
  expect(all.map(({ told }) => told.length)).toEqual([1, 0, 0, 0, 0]);
  close();
  await Promise.all(all.map(({ done }) => done));
});

test('so many at once, in order, and none after the end', async () => {
  const stop = new AbortController();
  const begun: number[] = [];
  let open = 0;
  let most = 0;
  await eachOf([1, 2, 3, 4, 5, 6], 2, stop.signal, async (item) => {
    begun.push(item);
    most = Math.max(most, ++open);
    await new Promise((resolve) => setImmediate(resolve));
    open--;
    if (item === 4) stop.abort();
  });
  expect(begun.slice(0, 4)).toEqual([1, 2, 3, 4]);
  expect(begun).not.toContain(6);
  expect(most).toBe(2);
});

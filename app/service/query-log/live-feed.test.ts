import { expect, test } from 'vitest';
import { record } from './event-record-fixture.ts';
import { LiveFeed, liveEveryMs, mostAtOnce } from './live-feed.ts';
import { presentEvent } from './present-event.ts';

function feed(wanted = (_id: number) => true) {
  const told: [ids: number[], leftOut: number][] = [];
  let waiting: (() => void) | null = null;
  const pauses: number[] = [];
  const live = new LiveFeed({
    wanted: ({ id }) => wanted(id),
    send: (events, leftOut) => told.push([events.map(({ id }) => id), leftOut]),
    later(milliseconds, work) {
      pauses.push(milliseconds);
      waiting = work;
      return () => {
        waiting = null;
      };
    },
  });
  const pass = () => {
    const work = waiting;
    waiting = null;
    work?.();
  };
  const offer = (...ids: number[]) =>
    live.offer(
      ids.map((id) => presentEvent(record({ id }))),
      0,
    );
  return { live, told, pauses, pass, offer, isWaiting: () => waiting !== null };
}

test('the first is told at once, what follows together a tenth of a second later', () => {
  const { told, offer, pass, pauses } = feed();
  offer(1);
  offer(2);
  offer(3, 4);
  expect(told).toEqual([[[1], 0]]);
  pass();
  expect(told).toEqual([
    [[1], 0],
    [[2, 3, 4], 0],
  ]);
  expect(pauses).toEqual([liveEveryMs, liveEveryMs]);
});

test('when nothing comes nothing is told, and no timer runs', () => {
  const { told, offer, pass, isWaiting } = feed();
  offer(1);
  pass();
  expect([told.length, isWaiting()]).toEqual([1, false]);
  offer(2);
  expect(told).toHaveLength(2);
});

test('only what is wanted is told', () => {
  const { told, offer, isWaiting } = feed((id) => id % 2 === 0);
  offer(1, 3);
  expect([told, isWaiting()]).toEqual([[], false]);
  offer(4, 5, 6);
  expect(told).toEqual([[[4, 6], 0]]);
});

test('more than can be looked at is left out and counted', () => {
  const { live, told, offer, pass } = feed();
  offer(0);
  offer(...Array.from({ length: mostAtOnce + 30 }, (_, index) => index + 1));
  live.offer([], 12);
  pass();
  expect(told[1]?.[0]).toHaveLength(mostAtOnce);
  expect(told[1]?.[1]).toBe(42);
});

test('after its end nothing is told', () => {
  const { live, told, offer, isWaiting } = feed();
  offer(1);
  offer(2);
  live.close();
  expect([told.length, isWaiting()]).toEqual([1, false]);
});

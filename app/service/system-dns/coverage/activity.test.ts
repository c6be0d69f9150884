import { expect, test } from 'vitest';
import { type Activity, goesAround, noActivity, noteActivity } from './activity.ts';

const minute = 60_000;
const hour = 60 * minute;
const start = 1_000 * hour;

/** Each moment with a number of packets, in minutes after the start. */
function after(...moments: readonly (readonly [at: number, count: number])[]): Activity {
  return moments.reduce(
    (activity, [at, count]) => noteActivity(activity, start + at * minute, count),
    noActivity,
  );
}

test.each<[string, boolean, Activity, number]>([
  ['nothing', false, noActivity, 0],
  ['one packet', false, after([0, 1]), 0],
  ['a hundred in one minute: one program that was started once', false, after([0, 100]), 0],
  ['two in two minutes', false, after([0, 1], [1, 1]), 1],
  ['three in two minutes', true, after([0, 2], [1, 1]), 1],
  ['the same, nine minutes later', true, after([0, 2], [1, 1]), 9],
  ['the same, ten minutes after the first', false, after([0, 2], [1, 1]), 10],
  ['the same, long after', false, after([0, 2], [1, 1]), 30],
  ['one an hour, the first time', false, after([0, 1]), 1],
  ['one an hour, the second time', true, after([0, 1], [60, 1]), 60],
  ['one an hour, just before the third', true, after([0, 1], [60, 1]), 119],
  ['one an hour that has ended', false, after([0, 1], [60, 1]), 181],
  ['one a day', false, after([0, 1], [1440, 1]), 1440],
  ['nine minutes apart is one time', false, after([0, 1], [9, 1]), 11],
  ['without a pause for an hour, and ended', false, after(...everyMinute(60)), 80],
])('%s', (_what, expected, activity, at) => {
  expect(goesAround(activity, start + at * minute)).toBe(expected);
});

function everyMinute(many: number): [number, number][] {
  return Array.from({ length: many }, (_, at) => [at, 1]);
}

test('however often it happens, little is kept', () => {
  let activity = noActivity;
  for (let at = 0; at < 10_000; at += 1)
    activity = noteActivity(activity, start + at * 11 * minute + (at % 3) * minute, 1);
  expect(activity.minutes.length).toBeLessThanOrEqual(11);
  expect(activity.episodes.length).toBeLessThanOrEqual(4);
});

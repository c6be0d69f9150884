import { expect, test } from 'vitest';
import { Contest } from './contest.ts';

function contestOf(times: readonly number[]): Contest {
  const contest = new Contest();
  for (const at of times) contest.note(at);
  return contest;
}

test('it begins with the first change and is over when it is forgiven', () => {
  const contest = contestOf([1000, 2000]);
  expect([contest.since, contest.isLost, contest.isLive(3000)]).toEqual([1000, false, true]);
  contest.forgive();
  expect([contest.since, contest.isLost, contest.isLive(3000)]).toEqual([null, false, false]);
});

test('an earlier life is recalled, and does not make a later beginning', () => {
  const contest = contestOf([]);
  contest.recall(500);
  contest.note(1000);
  expect(contest.since).toBe(500);
});

test.each([
  ['five within three minutes', [0, 1, 2, 3, 179_999], true],
  ['five in more than that', [0, 1, 2, 3, 180_001], false],
  ['four', [0, 1, 2, 3], false],
])('lost after %s: %#', (_what, times, lost) => {
  expect(contestOf(times as number[]).isLost).toBe(lost);
});

test('it is told again at once four times, then after 1, 2, 4 and ever again 4 seconds', () => {
  const contest = new Contest();
  const pauses = Array.from({ length: 12 }, (_, index) => {
    contest.note(index * 5000);
    return contest.retakeAt(index * 5000) - index * 5000;
  });
  expect(pauses).toEqual([0, 0, 0, 0, 1000, 2000, 4000, 4000, 4000, 4000, 4000, 4000]);
});

test('it is constant from the fifth change within three minutes on, until they are past', () => {
  expect(contestOf([0, 1, 2, 3]).isConstant(4)).toBe(false);
  const contest = contestOf([0, 1, 2, 3, 4]);
  expect([contest.isConstant(4), contest.isConstant(179_999)]).toEqual([true, true]);
  expect(contest.isConstant(180_001)).toBe(false);
});

test('changes that are long past delay nothing', () => {
  const contest = contestOf([0, 1, 2, 3, 4, 5, 6]);
  expect(contest.retakeAt(200_000)).toBe(200_000);
  expect(contest.isLive(200_000)).toBe(false);
});

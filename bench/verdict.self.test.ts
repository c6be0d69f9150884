import { expect, test } from 'vitest';
import { type Figure, type FigureKey, figures } from './figures.ts';
import { outcome } from './verdict.ts';
import type { Visit } from './visit.ts';

const contestants = [
  { id: 'floor', kind: 'floor' },
  { id: 'unbound', kind: 'peer' },
  { id: 'dnsdist', kind: 'peer' },
  { id: 'sotto-off', kind: 'ours' },
  { id: 'sotto-full', kind: 'ours' },
] as const;

function figure(key: FigureKey): Figure {
  const found = figures.find((each) => each.key === key);
  if (found === undefined) throw new Error(`no figure ${key}`);
  return found;
}

function visits(key: FigureKey, runs: Record<string, number[]>): Visit[] {
  return Object.entries(runs).flatMap(([peer, values]) =>
    values.map((value, round) => ({
      peer,
      round,
      values: { [key]: value },
      shares: {},
      failures: [],
    })),
  );
}

function decide(key: FigureKey, runs: Record<string, number[]>) {
  return outcome(figure(key), [...contestants], visits(key, runs));
}

test('the median of the runs counts, and the floor is not the best peer', () => {
  const { medians, best } = decide('cached', {
    floor: [250, 250, 250],
    unbound: [90, 110, 100],
    dnsdist: [120, 10, 130],
  });
  expect(medians.get('unbound')).toBe(100);
  expect(best).toEqual({ id: 'dnsdist', value: 120 });
});

test('cached responses: 1.1 times the best without a log, as many with one', () => {
  const { verdicts } = decide('cached', {
    unbound: [100],
    dnsdist: [120],
    'sotto-off': [131],
    'sotto-full': [120],
  });
  expect(verdicts.map(({ mode, reached }) => [mode, reached])).toEqual([
    ['off', false],
    ['full', true],
  ]);
  expect(verdicts[0]?.ratio).toBeCloseTo(131 / 120);
  expect(verdicts[0]?.wanted).toBe('≥ 1.1 × best peer');
});

test('CPU is compared with unbound, not with the best', () => {
  const { verdicts } = decide('cachedCpu', {
    unbound: [10],
    dnsdist: [5],
    'sotto-off': [7],
    'sotto-full': [10.5],
  });
  expect(verdicts.map(({ reached }) => reached)).toEqual([true, false]);
});

test('memory has a limit of its own, with and without peers', () => {
  const { verdicts, best } = decide('memoryIdle', { 'sotto-off': [59.9], 'sotto-full': [60.1] });
  expect(best).toBeNull();
  expect(verdicts.map(({ ratio, reached }) => [ratio, reached])).toEqual([
    [null, true],
    [null, false],
  ]);
});

test('without the peer to compare with, a target is neither reached nor missed', () => {
  const { verdicts } = decide('cachedCpu', { dnsdist: [5], 'sotto-off': [1] });
  expect(verdicts).toMatchObject([{ mode: 'off', reached: null }]);
});

test('a figure without a target is only shown', () => {
  const { verdicts } = decide('forwardedCpu', { unbound: [30], 'sotto-off': [15] });
  expect(verdicts).toMatchObject([{ ratio: 0.5, wanted: '', reached: null }]);
});

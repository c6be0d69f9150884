import { expect, it } from 'vitest';
import type { Figure, Reach } from './figure.ts';
import { tally } from './tally.ts';

const round = (ours: number, theirs: number) => ({
  samples: [
    { row: 'ours', column: 'x', value: ours },
    { row: 'theirs', column: 'x', value: theirs },
  ],
  spreads: [{ row: 'ours', of: 'all', values: [ours, 10 * ours] }],
});

function figure(...reach: Reach[]): Figure {
  const measure = () => Promise.resolve({ samples: [] });
  return { id: 'f', title: '', how: '', unit: '', columns: ['x'], reach, measure };
}

const rounds = [round(3, 2), round(1, 2), round(2, 5)];

it('takes medians, and keeps every round', () => {
  const { cells } = tally(figure(), rounds, []);
  expect(cells.map(({ row, median }) => [row, median])).toEqual([
    ['ours', 2],
    ['theirs', 2],
  ]);
  expect(cells[0]?.rounds).toEqual([3, 1, 2]);
});

it('takes quantiles of all rounds together', () => {
  const quantiles = [{ column: 'p50', of: 'all', share: 0.5 }];
  const { cells, spreads } = tally({ ...figure(), quantiles }, rounds, []);
  expect(cells.find(({ column }) => column === 'p50')).toEqual({
    row: 'ours',
    column: 'p50',
    median: 10,
    rounds: [30, 10, 20],
  });
  expect(spreads[0]?.values).toEqual([3, 30, 1, 10, 2, 20]);
});

it('says in how many rounds a verdict held', () => {
  const reach = { row: 'ours', column: 'x', atMost: 2, needs: '' };
  expect(tally(figure(reach), rounds, []).goals[0]?.held).toEqual({ rounds: 2, of: 3 });
});

it('does not take a cost below zero for one', () => {
  const reach = { row: 'ours', column: 'x', atMost: 2, needs: '' };
  const noise = [round(-1, 2), round(-3, 2), round(1, 5)];
  expect(tally(figure(reach), noise, []).goals[0]?.state).toBe('not measured');
});

const needs = 'something';
it.each([
  ['reached', { row: 'ours', column: 'x', atMost: 2, needs }],
  ['not reached yet', { row: 'ours', column: 'x', atMost: 1.9, needs }],
  ['reached', { row: 'ours', column: 'x', atMost: { row: 'theirs', column: 'x' }, needs }],
  ['not measured', { row: 'ours', column: 'y', atMost: 2, needs }],
  ['not measured', { row: 'ours', column: 'x', atMost: { row: 'nobody', column: 'x' }, needs }],
] as const)('says %s', (state, reach) => {
  expect(tally(figure(reach), rounds, []).goals[0]?.state).toBe(state);
});

import { expect, test } from 'vitest';
import { edgeAt, placeAfterDrop } from './drop-place.ts';

test.each([
  [0, 0, 'before', null],
  [0, 0, 'after', null],
  [0, 1, 'before', null],
  [0, 1, 'after', 1],
  [0, 2, 'before', 1],
  [0, 2, 'after', 2],
  [2, 1, 'after', null],
  [2, 1, 'before', 1],
  [2, 0, 'after', 1],
  [2, 0, 'before', 0],
] as const)('from %i dropped onto %i, %s it: %s', (from, onto, edge, to) => {
  const list = ['a', 'b', 'c'];
  expect(placeAfterDrop(from, onto, edge)).toBe(to);
  if (to === null) return;
  // The order that the service makes, and the order that a person sees on letting go.
  const dragged = list[from] as string;
  const moved = list.filter((_, at) => at !== from);
  moved.splice(to, 0, dragged);
  const target = moved.indexOf(list[onto] as string);
  expect(moved.indexOf(dragged)).toBe(edge === 'before' ? target - 1 : target + 1);
});

test.each([
  [10, 'before'],
  [29, 'before'],
  [30, 'after'],
  [50, 'after'],
] as const)('at %i of a line from 10 to 50: %s', (pointer, edge) => {
  expect(edgeAt(pointer, 10, 40)).toBe(edge);
});

import { expect, test } from 'vitest';
import { pauseBefore, type WatchFacts, watchStep } from './watch-step.ts';

const without: WatchFacts = {
  detect: true,
  on: true,
  path: 'none',
  hasPlace: true,
  skipped: false,
};

test.each<[string, Partial<WatchFacts>, string]>([
  ['no private path', {}, 'look'],
  ['none so far', { path: 'trying' }, 'look'],
  ['a private path', { path: 'private' }, 'private'],
  ['a private path, and nobody wants to know', { path: 'private', detect: false }, 'private'],
  ['no network', { path: 'offline' }, 'aside'],
  ['nothing but a tunnel', { hasPlace: false }, 'aside'],
  ['off or paused', { on: false }, 'aside'],
  ['off, though a private path stands', { on: false, path: 'private' }, 'aside'],
  ['told not to', { detect: false }, 'aside'],
  ['set aside', { skipped: true }, 'aside'],
])('%s', (_what, changes, step) => {
  expect(watchStep({ ...without, ...changes })).toBe(step);
});

test('after the first look it is looked again at 2, 4 and 20 seconds, and then each 20', () => {
  expect([0, 1, 2, 3, 4, 50].map(pauseBefore)).toEqual([400, 2000, 4000, 20_000, 20_000, 20_000]);
});

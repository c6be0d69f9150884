import { expect, test } from 'vitest';
import { readRemedy } from './remedy.ts';

test.each([
  [{ method: 'protection.on', params: {} }],
  [{ method: 'consent.retry', params: { id: 'k7' } }],
  [{ method: 'upstream.test', params: { id: 'garden' } }],
  [{ method: 'system.take', params: {} }],
])('%j is offered as it was told', (action) => {
  expect(readRemedy(action)).toEqual(action);
});

test.each([
  ['nothing to carry out', null],
  ['what takes protection away', { method: 'protection.off', params: {} }],
  ['a method nobody has', { method: 'constructor', params: {} }],
  ['parameters that do not fit', { method: 'consent.retry', params: { id: 7 } }],
  ['parameters too many', { method: 'protection.on', params: { until: 1 } }],
])('%s is not', (_, action) => {
  expect(readRemedy(action)).toBeNull();
});

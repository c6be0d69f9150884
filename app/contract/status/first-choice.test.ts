import { expect, test } from 'vitest';
import { firstChoice, otherChoices } from './first-choice.ts';
import type { ServiceStatus } from './service-status.ts';

function seen(strategy: string, ...upstreams: [id: string, group: string][]) {
  return {
    upstreams: upstreams.map(([id, group]) => ({ id, group })),
    groups: [{ id: '', strategy }],
  } as unknown as ServiceStatus;
}

test.each([
  ['ordered', 'a', ['b']],
  ['race', 'a', ['b']],
  ['fastest', null, []],
  ['spread', null, []],
])('%s: the first is %s', (strategy, first, others) => {
  const status = seen(strategy, ['work', 'office'], ['a', ''], ['b', '']);
  expect(firstChoice(status)).toBe(first);
  expect([...otherChoices(status)]).toEqual(others);
});

test('without upstreams there is no choice', () => {
  expect(firstChoice(seen('ordered'))).toBeNull();
});

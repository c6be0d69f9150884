import { expect, test } from 'vitest';
import { createHealthRegistry } from './health-registry.ts';

function registry() {
  let now = 10;
  let changes = 0;
  const health = createHealthRegistry(
    () => now++,
    () => changes++,
  );
  return { health, changes: () => changes };
}

test('an issue keeps its age while its words change', () => {
  const { health, changes } = registry();
  health.raise('settings-invalid', 'line 1');
  health.raise('settings-invalid', 'line 1');
  health.raise('settings-invalid', 'line 2');
  expect(health.list()).toMatchObject([{ since: 10, text: expect.stringMatching(/line 2$/) }]);
  expect(changes()).toBe(2);
  health.clear('settings-invalid');
  health.clear('settings-invalid');
  expect([health.list(), changes()]).toEqual([[], 3]);
});

test('the subjects of a code are replaced together, those of others stay', () => {
  const { health } = registry();
  health.raise('no-private-path', 'x');
  health.replace(
    'certificate-wrong',
    new Map([
      ['a', '1'],
      ['b', '2'],
    ]),
  );
  health.replace(
    'certificate-wrong',
    new Map([
      ['b', '2'],
      ['c', '3'],
    ]),
  );
  expect(health.list().map(({ code, subject }) => `${code} ${subject}`)).toEqual([
    'no-private-path ',
    'certificate-wrong b',
    'certificate-wrong c',
  ]);
});

test('what follows from a condition is shown beside what was raised, and nothing is changed by looking', () => {
  const { health, changes } = registry();
  health.raise('no-private-path', 'x');
  health.raise('certificate-wrong', '1', 'a');
  health.raise('certificate-wrong', '2', 'b');
  const before = [health.list(), changes()];
  const wrong = new Map([
    ['b', '3'],
    ['c', '4'],
  ]);
  const shown = health.listWith([['certificate-wrong', wrong]]);
  expect(shown.map(({ code, subject, since }) => [code, subject, since])).toEqual([
    ['no-private-path', '', 10],
    ['certificate-wrong', 'b', 12],
    ['certificate-wrong', 'c', 13],
  ]);
  expect([health.list(), changes()]).toEqual(before);
  health.replace('certificate-wrong', wrong);
  expect(health.list().map(({ text }) => text)).toEqual(shown.map(({ text }) => text));
});

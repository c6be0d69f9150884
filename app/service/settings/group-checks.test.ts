import { expect, test } from 'vitest';
import type { Condition } from '../../contract/settings/condition.ts';
import { defaultSettings, type FlatSettings } from '../../contract/settings/settings.ts';
import { crossFieldProblems } from './cross-field-checks.ts';

const upstream = (id: string, group?: string) => ({
  ...{ id, transport: 'dot' as const, address: '192.0.2.1', name: 'a.test' },
  ...(group !== undefined && { group }),
});

function problemsOf(
  groups: Record<string, { names: string[]; when?: Condition }>,
  more: Partial<FlatSettings> = {},
): [number, string][] {
  const upstreams = [upstream('z'), ...Object.keys(groups).map((name) => upstream(name, name))];
  const settings = { ...defaultSettings, upstreams, groups, ...more };
  return crossFieldProblems(settings).map(({ within, reason }) => [Number(within[2]), reason]);
}

const when = { user: ['ann'] };

test('a name has one group, or one for each condition', () => {
  expect(problemsOf({ a: { names: ['x.example'] }, b: { names: ['x.example'], when } })).toEqual(
    [],
  );
  expect(
    problemsOf({
      a: { names: ['x.example'] },
      b: { names: ['x.example'], when },
      c: { names: ['y.example', 'X.example.'], when: { user: ['ann'] } },
    }),
  ).toEqual([[1, expect.stringContaining('belongs to the group "b" already')]]);
  expect(problemsOf({ a: { names: ['x.example', 'X.Example'] } })).toEqual([
    [1, expect.stringContaining('is there twice')],
  ]);
});

/** So many that nobody waits for each of them to be compared with every other one. */
const names = Array.from({ length: 50_000 }, (_, at) => `${at}.example`);

test('the names of large groups are compared, with each other and with as many rules', () => {
  expect(problemsOf({ a: { names: [...names, '7.EXAMPLE'] } })).toEqual([
    [names.length, expect.stringContaining('is there twice')],
  ]);
  const bypass = names.map((name) => ({ suffix: name.toUpperCase(), to: ['192.0.2.9'] }));
  const problems = problemsOf({ a: { names } }, { bypass });
  expect(problems).toHaveLength(names.length);
  expect(problems[0]).toEqual([0, expect.stringContaining('is also a bypass rule')]);
});

test('many groups have the same names under conditions of their own', () => {
  const groups = Array.from({ length: 255 }, (_, at) => [
    `g${at}`,
    { names: names.slice(0, 1000), when: { user: [at] } },
  ]);
  expect(problemsOf(Object.fromEntries(groups))).toEqual([]);
});

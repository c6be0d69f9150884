import { expect, test } from 'vitest';
import type { CatalogueEntry } from '../../../app/contract/settings/upstream-methods.ts';
import { editFor, nothingDecided, offered } from './first-run.ts';

const setting = (key: string, layer: 'default' | 'user' | 'policy') => ({
  key,
  source: { layer, file: null },
});

test.each([
  [[setting('upstreams', 'default'), setting('downgrade', 'default')], true],
  [
    [
      setting('upstreams', 'default'),
      setting('downgrade', 'default'),
      setting('cache.entries', 'user'),
    ],
    true,
  ],
  [[setting('upstreams', 'user'), setting('downgrade', 'default')], false],
  [[setting('upstreams', 'default'), setting('downgrade', 'policy')], false],
  [[], false],
] as const)('case %#: nothing is decided yet: %s', (settings, expected) => {
  expect(nothingDecided(settings)).toBe(expected);
});

const google: CatalogueEntry = {
  id: 'google',
  label: 'Google',
  operator: 'Google LLC',
  transport: 'dot',
  addresses: ['192.0.2.1'],
  names: ['dns.example.net'],
  filtering: '',
  validation: null,
  logging: '',
  source: 'https://example.net/',
  checked: { on: '2026-11-23', by: 'operator', against: ['https://a.example/'] },
  inCleartext: 'every name',
  retired: null,
  upstream: null,
};

test('the first choice is the only upstream; a later one goes before those that were chosen', () => {
  expect(editFor(google, false)).toEqual({
    method: 'settings.set',
    params: {
      key: 'upstreams',
      value: [
        { id: 'google', transport: 'dot', address: ['192.0.2.1'], name: ['dns.example.net'] },
      ],
    },
  });
  expect(editFor(google, true)).toEqual({
    method: 'upstream.add',
    params: { upstream: { resolver: 'google' }, at: 0 },
  });
  expect(editFor({ ...google, upstream: 'mine' }, true)).toEqual({
    method: 'upstream.move',
    params: { id: 'mine', to: 0 },
  });
});

test('each choice shown at once is of another operator, and the rest is behind "More"', () => {
  const by = (id: string, operator: string) => ({ ...google, id, operator });
  const resolvers = [by('a', 'A'), by('a2', 'A'), by('b', 'B'), by('c', 'C'), by('d', 'D')];
  const ids = (entries: readonly CatalogueEntry[]) => entries.map(({ id }) => id);
  const { shown, more } = offered(resolvers, 3);
  expect([ids(shown), ids(more)]).toEqual([
    ['a', 'b', 'c'],
    ['a2', 'd'],
  ]);
  expect(offered([], 3)).toEqual({ shown: [], more: [] });
});

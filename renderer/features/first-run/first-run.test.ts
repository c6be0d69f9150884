import { expect, test } from 'vitest';
import type { CatalogueEntry } from '../../../app/contract/upstream-methods.ts';
import { editFor, nothingDecided } from './first-run.ts';

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

const mullvad: CatalogueEntry = {
  id: 'mullvad',
  label: 'Mullvad',
  operator: 'Mullvad VPN AB',
  transport: 'dot',
  addresses: ['192.0.2.1'],
  names: ['dns.example.net'],
  filtering: '',
  validation: null,
  logging: '',
  source: 'https://example.net/',
  upstream: null,
};

test('the first choice is the only upstream; a later one goes before those that were chosen', () => {
  expect(editFor(mullvad, false)).toEqual({
    method: 'settings.set',
    params: {
      key: 'upstreams',
      value: [
        { id: 'mullvad', transport: 'dot', address: ['192.0.2.1'], name: ['dns.example.net'] },
      ],
    },
  });
  expect(editFor(mullvad, true)).toEqual({
    method: 'upstream.add',
    params: { upstream: { resolver: 'mullvad' }, at: 0 },
  });
  expect(editFor({ ...mullvad, upstream: 'mine' }, true)).toEqual({
    method: 'upstream.move',
    params: { id: 'mine', to: 0 },
  });
});

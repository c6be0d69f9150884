import { expect, test } from 'vitest';
import { defaultSettings } from '../../contract/settings/settings.ts';
import { nest } from '../../contract/settings/settings-shape.ts';
import { loosenedBy } from './loosened.ts';

const defaults = nest(defaultSettings);

test('the defaults loosen nothing', () => {
  expect(loosenedBy(defaults)).toEqual([]);
});

test('what protects less is counted, without a name', () => {
  const dot = { id: 'a', transport: 'dot' as const, address: '192.0.2.1' };
  const upstreams = [dot, { ...dot, id: 'b', earlyData: true }, { ...dot, earlyData: false }];
  const changed = { allowPrivate: ['nas.example', 'tv.example'], forwardSpecial: ['test'] };
  const systemDns = { ...defaults.systemDns, close: 'never' as const };
  expect(loosenedBy({ ...defaults, ...changed, upstreams, systemDns })).toEqual([
    { setting: 'allowPrivate', count: 2 },
    { setting: 'forwardSpecial', count: 1 },
    { setting: 'earlyData', count: 1 },
    { setting: 'systemDns.close', count: null },
  ]);
});

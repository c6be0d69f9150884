import { expect, test } from 'vitest';
import type { EngineDriver } from '../engine/engine-driver.ts';
import { readCatalogue } from '../settings/resolver-catalogue.ts';
import { measureResolver } from './measure.ts';

test('a resolver is measured with the key exchange that the settings allow, and behind their proxy', async () => {
  const asked: unknown[] = [];
  const engine = {
    probe: async (_query, how) => {
      asked.push(how);
      const failure = { code: 'probe-failed', message: 'no', remedy: 'none' } as const;
      return { ok: false, failure } as never;
    },
  } satisfies Pick<EngineDriver, 'probe'>;
  const resolver = readCatalogue().find(({ transport }) => transport === 'dot');
  if (resolver === undefined) throw new Error('the catalogue has no resolver over TLS');
  for (const postQuantum of ['require', 'off'] as const)
    await measureResolver(engine, resolver, { proxy: '192.0.2.9:1080', postQuantum }, 2);
  expect(asked).toMatchObject([
    { postQuantum: 'require', proxy: '192.0.2.9:1080' },
    { postQuantum: 'off', proxy: '192.0.2.9:1080' },
  ]);
});

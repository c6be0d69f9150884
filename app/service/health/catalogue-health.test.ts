import { expect, test } from 'vitest';
import { inEnglish } from '../../contract/sentences/sentence.ts';
import { readCatalogue } from '../settings/resolver-catalogue.ts';
import { catalogueHealth } from './catalogue-health.ts';

const upstream = (id: string, name: string) => ({
  ...{ id, name, transport: 'dot' as const, address: '192.0.2.1' },
});

test('an upstream whose operator ends it is told with the day and the notice, others are not', () => {
  const catalogue = readCatalogue();
  const upstreams = [
    upstream('old', 'DNS.Mullvad.net'),
    upstream('quad9', 'dns.quad9.net'),
    upstream('own', 'dns.example'),
  ];
  const told = catalogueHealth(upstreams, catalogue).get('upstream-retired') ?? new Map();
  expect([...told.keys()]).toEqual(['old']);
  expect(inEnglish(told.get('old') ?? [])).toMatch(/^Mullvad: on 2026-11-02, see https:/);
});

import { expect, test } from 'vitest';
import { inEnglish } from '../../contract/sentences/sentence.ts';
import { healthIssueKinds } from '../../contract/status/health-issue.ts';
import { readCatalogue } from '../settings/resolver-catalogue.ts';
import { catalogueHealth } from './catalogue-health.ts';

const upstream = (id: string, name: string) => ({
  ...{ id, name, transport: 'dot' as const, address: '192.0.2.1' },
});

const retired = Date.UTC(2026, 10, 2);
const dayMs = 24 * 60 * 60 * 1000;

test.each([
  ['until the end of that day', retired + dayMs - 1, 'upstream-retired', 'upstream-ended'],
  ['as ended from then on', retired + dayMs, 'upstream-ended', 'upstream-retired'],
] as const)(
  'an upstream whose operator ends it is told so %s, others are not',
  (_, now, code, not) => {
    const upstreams = [
      upstream('old', 'DNS.Mullvad.net'),
      upstream('quad9', 'dns.quad9.net'),
      upstream('own', 'dns.example'),
    ];
    const all = catalogueHealth(upstreams, readCatalogue(), now);
    const told = all.get(code) ?? new Map();
    expect([...told.keys()]).toEqual(['old']);
    expect(all.get(not)?.size).toBe(0);
    expect(inEnglish(told.get('old') ?? [])).toMatch(/^Mullvad: on 2026-11-02, see https:/);
  },
);

test('one that has ended is not said to end', () => {
  const { title, text } = healthIssueKinds['upstream-ended'];
  expect(`${title} ${text('')}`).toMatch(
    /^An operator has ended its resolver Nobody answers there/,
  );
});

import { expect, test } from 'vitest';
import { inEnglish } from '../../contract/sentences/sentence.ts';
import type { UpstreamSetting } from '../../contract/settings/upstream-settings.ts';
import type { HeldIdentity } from '../identities/identity-store.ts';
import { identityHealth } from './identity-health.ts';

const day = 24 * 3_600_000;
const now = Date.UTC(2026, 10, 26);

function until(notAfter: number): HeldIdentity {
  const certificate = {
    subject: 'CN=a',
    issuer: 'CN=b',
    notBefore: 0,
    notAfter,
    key: 'P-256',
    fingerprint: '00',
    length: 1,
  };
  return { certificate, pem: 'PEM', trouble: null };
}

const naming = (id: string, identity?: string): UpstreamSetting => ({
  id,
  transport: 'dot',
  address: '192.0.2.1',
  ...(identity === undefined ? {} : { identity }),
});

test.each([
  ['one that holds for long', until(now + 15 * day), null, null],
  ['one that ends soon', until(now + 13 * day), 'identity-ends', /is valid until/],
  ['one that has ended', until(now - 1), 'identity-unusable', /was valid until/],
  [
    'one that is torn',
    { certificate: null, pem: null, trouble: 'it has no certificate' },
    'identity-unusable',
    /it has no certificate/,
  ],
  ['one that is missing', undefined, 'identity-unusable', /is not on this machine/],
] as const)('%s', (_what, held, code, words) => {
  const identities = new Map(held === undefined ? [] : [['corp', held]]);
  const upstreams = [naming('one', 'corp'), naming('open'), naming('two', 'corp')];
  const told = [...identityHealth(upstreams, identities, now)].filter(([, map]) => map.size > 0);
  expect(told.map(([one]) => one)).toEqual(code === null ? [] : [code]);
  if (words === null) return;
  const detail = inEnglish(told[0]?.[1].get('corp') ?? []);
  expect(detail).toMatch(words);
  expect(detail).toMatch(/^corp[, ]/);
  expect(detail.includes('one, two')).toBe(true);
});

test('one that no upstream names may end', () => {
  const told = identityHealth([naming('open')], new Map([['corp', until(now - day)]]), now);
  expect([...told.values()].every((map) => map.size === 0)).toBe(true);
});

import { expect, test } from 'vitest';
import { inEnglish } from '../../contract/sentences/sentence.ts';
import type { EnrolledProfile } from '../../contract/settings/profile-methods.ts';
import { profileHealth } from './profile-health.ts';

const notAfter = Date.UTC(2026, 10, 26);
const profile: EnrolledProfile = {
  id: 'example-corp',
  serial: 7,
  issuer: 'Example Corp',
  name: 'Laptops',
  notBefore: null,
  notAfter,
  fingerprint: 'a'.repeat(64),
  nextFingerprint: null,
  source: null,
  ring: null,
  rollout: {},
  grants: [],
  enrolledAt: 0,
  acceptedAt: 0,
  settings: [],
  waiting: [],
  kept: [],
  gaveWay: [],
  takeWithoutRoutes: 'no',
  networks: [],
  standsIn: null,
};
const told = (one: Parameters<typeof profileHealth>[0], now: number) =>
  [...profileHealth(one, now)].map(([code, details]) => [
    code,
    [...details].map(([subject, says]) => `${subject}: ${inEnglish(says)}`),
  ]);

test('a profile that is up to date, or none, is no issue', () => {
  const nothing = [
    ['profile-expired', []],
    ['profile-rests', []],
    ['profile-waits', []],
  ];
  expect(told(null, notAfter)).toEqual(nothing);
  expect(told(profile, notAfter)).toEqual(nothing);
  expect(told({ ...profile, notAfter: null }, notAfter + 1)).toEqual(nothing);
});

test('one that is out of date, rests here, or wants more than it may, is told', () => {
  const waiting = [{ key: 'bypass' }, { key: 'listen' }];
  expect(told({ ...profile, waiting, standsIn: 6 }, notAfter + 1)).toEqual([
    [
      'profile-expired',
      [
        expect.stringMatching(
          /^example-corp: Example Corp: serial 7 was for the time until 2026-11-26/,
        ),
      ],
    ],
    [
      'profile-rests',
      [
        'example-corp: Example Corp: the upstreams of serial 7 do not authenticate; the version with serial 6 stands in.',
      ],
    ],
    ['profile-waits', ['example-corp: Example Corp, serial 7: bypass, listen.']],
  ]);
});

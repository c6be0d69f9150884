import { expect, test } from 'vitest';
import { effectivePolicy } from './effective-policy.ts';

test.each([
  ['refuse', null, false, 'refuse', 'settings'],
  ['fallback', null, true, 'fallback', 'settings'],
  ['warn', 'warn', false, 'warn', 'network'],
  // stricter: at once
  ['warn', 'refuse', false, 'refuse', 'network'],
  ['fallback', 'refuse', false, 'refuse', 'network'],
  ['fallback', 'warn', false, 'warn', 'network'],
  ['fallback', 'warn', true, 'warn', 'network'],
  // A looser policy holds only where an upstream or a person has confirmed the network.
  ['refuse', 'warn', false, 'refuse', 'unconfirmed'],
  ['refuse', 'fallback', false, 'refuse', 'unconfirmed'],
  ['warn', 'fallback', false, 'warn', 'unconfirmed'],
  ['refuse', 'warn', true, 'warn', 'network'],
  ['refuse', 'fallback', true, 'fallback', 'network'],
  ['warn', 'fallback', true, 'fallback', 'network'],
] as const)(
  'setting %s, remembered %s, confirmed %s: %s by %s',
  (setting, remembered, confirmed, policy, source) => {
    expect(effectivePolicy({ setting, remembered, confirmed })).toEqual({ policy, source });
  },
);

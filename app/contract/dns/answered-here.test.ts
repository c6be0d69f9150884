import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { whyAnsweredHere, zonesAnsweredHere } from './answered-here.ts';

test('the zones are those of which the engine says that they yield to nobody', () => {
  const table = readFileSync(
    new URL('../../../native/engine/src/policy/special_use.rs', import.meta.url),
    'utf8',
  );
  const rows = [...table.matchAll(/^ {4}entry\("([^"]+)",\s+\w+,\s+(\w+),/gm)];
  expect(rows.length).toBeGreaterThan(30);
  const never = rows.flatMap(([, zone, yields]) => (yields === 'Never' ? [zone] : []));
  expect([...zonesAnsweredHere].sort()).toEqual(never.sort());
});

test.each([
  ['onion', true],
  ['A.B.Onion.', true],
  ['resolver.arpa', true],
  ['1.0.0.127.in-addr.arpa', true],
  ['arpa', false],
  ['0.0.127.in-addr.arpa', false],
  ['onion.example', false],
  ['notonion', false],
  ['local', false],
  ['.', false],
])('%s: %s', (name, isAnsweredHere) => {
  expect(whyAnsweredHere(name) !== null).toBe(isAnsweredHere);
});

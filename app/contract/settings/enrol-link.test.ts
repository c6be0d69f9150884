import { expect, test } from 'vitest';
import { readEnrolLink } from './enrol-link.ts';

const source = 'https://it.example.com/corp.json';
const written = encodeURIComponent(source);

test('a link fills in all but the fingerprint', () => {
  const more = `address=192.0.2.80&ring=canary&allow=log,bypass&fingerprint=${'a'.repeat(64)}`;
  expect(readEnrolLink(`sotto://enrol?source=${written}&${more}`)).toEqual({
    source,
    address: '192.0.2.80',
    ring: 'canary',
    allow: ['log', 'bypass'],
  });
  expect(readEnrolLink(`sotto://enrol?source=${written}`)).toEqual({ source });
  expect(readEnrolLink('sotto://enrol?source=file:///srv/corp.json')).not.toBeNull();
});

test.each([
  ['of another kind', 'sotto://leave?'],
  ['with another host', `sotto://enrol.example?source=${written}`],
  ['with a path', `sotto://enrol/now?source=${written}`],
  ['without a source', 'sotto://enrol?ring=canary'],
  ['with a source that is not encrypted', 'sotto://enrol?source=http%3A%2F%2Fa.example%2Fp.json'],
  ['with a script', 'sotto://enrol?source=javascript%3Aalert(1)'],
  ['with a password', 'sotto://enrol?source=https%3A%2F%2Fa%3Ab%40a.example%2Fp.json'],
  ['with a name for an address', `sotto://enrol?source=${written}&address=a.example`],
  ['with a grant that there is not', `sotto://enrol?source=${written}&allow=everything`],
  ['with a ring that is none', `sotto://enrol?source=${written}&ring=%2E%2E%2F`],
  ['with two sources', `sotto://enrol?source=${written}&source=${written}`],
  ['that is very long', `sotto://enrol?source=${written}&ring=${'a'.repeat(5000)}`],
  ['that is none', '--enrol'],
])('a link %s is none', (_what, text) => {
  expect(readEnrolLink(text)).toBeNull();
});

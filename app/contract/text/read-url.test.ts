import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readUrl } from './read-url.ts';

test.each([
  ['https://portal.example/api?a=b', 'https://portal.example/api?a=b'],
  ['HTTP://Portal.Example', 'http://portal.example/'],
  ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
  ['http://127.0.0.1:4318/v1', 'http://127.0.0.1:4318/v1'],
  ['http://[2001:DB8:0::1]/', 'http://[2001:db8::1]/'],
  ['file:///srv/corp.json', 'file:///srv/corp.json'],
  ['file:///srv/our profile.json', 'file:///srv/our%20profile.json'],
  ['urn:ietf:params:capport:unrestricted', 'urn:ietf:params:capport:unrestricted'],
])('%j is %s', (text, href) => {
  expect(readUrl(text)?.href).toBe(href);
});

test.each([
  ' https://portal.example/',
  'https://portal.example/ ',
  'https://por\ntal.example/',
  'https://por\ttal.example/',
  'https:\\\\portal.example/',
  'https://portal.example\\@evil.example/',
  'https:portal.example',
  'https:/portal.example',
  'https:///portal.example',
  'http://192.0.2.010/',
  'http://0x7f000001/',
  'http://127.1/',
  'http://2130706433/',
  'portal.example',
  '',
])('%j is none', (text) => {
  expect(readUrl(text)).toBeNull();
});

test('what is read and written again is the same', () => {
  const pieces = fc.constantFrom(
    'https:',
    'http:',
    '/',
    '//',
    '\\',
    ' ',
    'a.example',
    '1.2',
    '127.0.0.1',
    ':80',
    '@',
    '?x',
    '#',
    '%41',
    'ü',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 7 }), (parts) => {
      const url = readUrl(parts.join(''));
      if (url !== null) expect(readUrl(url.href)?.href).toBe(url.href);
    }),
    { numRuns: 3000 },
  );
});

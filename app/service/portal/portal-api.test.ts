import { expect, test } from 'vitest';
import { absolute, type FetchedPage } from './fetch-page.ts';
import { readApiAddress, readApiState } from './portal-api.ts';

test.each([
  ['https://portal.example/api', 'https://portal.example/api'],
  ['urn:ietf:params:capport:unrestricted', 'none'],
  ['http://portal.example/api', null],
  ['https://user:secret@portal.example/', null],
  ['urn:ietf:params:capport:other', null],
  ['javascript:alert(1)', null],
  ['https://', null],
  ['https://por\ntal.example/', null],
  [' https://portal.example/', null],
  ['https:\\\\portal.example/', null],
  ['', null],
])('the network gives %s', (text, address) => {
  const read = readApiAddress(text);
  expect(read instanceof URL ? read.href : read).toBe(address);
});

const answer = (body: string, changes: Partial<FetchedPage> = {}): FetchedPage => ({
  status: 200,
  leadsTo: null,
  contentType: 'application/captive+json',
  body,
  ...changes,
});
const captive = '{"captive":true,"user-portal-url":"https://portal.example/in","venue":1}';

test.each<[string, FetchedPage | null, ReturnType<typeof readApiState>]>([
  ['captive', answer(captive), { captive: true, url: 'https://portal.example/in' }],
  ['let through', answer('{"captive":false}'), { captive: false, url: null }],
  [
    'a URL that is none for a browser',
    answer('{"captive":true,"user-portal-url":"file:///etc/passwd"}'),
    { captive: true, url: null },
  ],
  [
    'a page without TLS',
    answer('{"captive":true,"user-portal-url":"http://portal.example/in"}'),
    { captive: true, url: null },
  ],
  [
    'a URL of which a browser would leave a part out',
    answer('{"captive":true,"user-portal-url":"https://portal.example\\n/in"}'),
    { captive: true, url: null },
  ],
  ['another type', answer(captive, { contentType: 'application/json' }), null],
  ['another status', answer(captive, { status: 203 }), null],
  ['no JSON', answer('<html>'), null],
  ['nothing said', answer('{"user-portal-url":"https://portal.example"}'), null],
  ['a word for yes', answer('{"captive":"true"}'), null],
  ['an array', answer('[true]'), null],
  ['nobody', null, null],
])('the API answers: %s', (_what, page, state) => {
  expect(readApiState(page)).toEqual(state);
});

test.each([
  ['/login', 'http://portal.example/login'],
  ['//other.example/', 'http://other.example/'],
  ['https://portal.example:8443/x?y=1', 'https://portal.example:8443/x?y=1'],
  ['ftp://portal.example/', null],
  ['javascript:alert(1)', null],
  ['http://user@portal.example/', null],
  [`http://portal.example/${'a'.repeat(3000)}`, null],
  ['http://[', null],
  ['http://localhost:631/', null],
  ['http://Printer.LocalHost./', null],
  ['http://127.1.2.3/', null],
  ['http://0x7f000001/', null],
  ['http://0/', null],
  ['http://[::1]/', null],
  ['http://[::ffff:127.0.0.1]/', null],
  ['http://localhost.example/', 'http://localhost.example/'],
])('a redirect to %s', (location, url) => {
  expect(absolute(location, new URL('http://portal.example/a'))).toBe(url);
});

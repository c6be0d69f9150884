import { expect, test } from 'vitest';
import { judge, type NamedPage, type Page, type Readings } from './evidence.ts';

const nobody = 'http://192.0.2.1/';
const page = (status: number, leadsTo: string | null = null, body = ''): Page => ({
  status,
  leadsTo,
  body,
});
const led = page(302, 'http://portal.example:8080/login');
const url = 'http://probe.example/';
const right: NamedPage = { url, text: 'online', page: page(200, null, 'online\n') };
const silent: NamedPage = { url, text: 'online', page: null };
const other: NamedPage = { url, text: 'online', page: page(200, null, '<html>Welcome') };
const astray: NamedPage = { url, text: 'online', page: led };

function readings(changes: Partial<Readings> = {}): Readings {
  const address = { url: nobody, page: null };
  return { api: null, managerSaysPortal: false, address, names: [silent], ...changes };
}

const at = (found: Page | null) => ({ address: { url: nobody, page: found } });

test.each<[string, Partial<Readings>, ReturnType<typeof judge>]>([
  ['silence says nothing', {}, null],
  [
    'the API says where',
    { api: { captive: true, url: 'https://portal.example/in' }, ...at(led) },
    { evidence: 'api', site: 'portal.example', url: 'https://portal.example/in' },
  ],
  [
    'an API that does not say where is helped by whoever leads astray',
    { api: { captive: true, url: null }, ...at(led) },
    { evidence: 'api', site: 'portal.example', url: 'http://portal.example:8080/login' },
  ],
  [
    'an API that is alone and does not say where leaves a page of known text',
    { api: { captive: true, url: null } },
    { evidence: 'api', site: null, url },
  ],
  ['the API has the last word', { api: { captive: false, url: null }, ...at(led) }, null],
  [
    'NetworkManager says that there is one',
    { managerSaysPortal: true, ...at(page(200)) },
    { evidence: 'network-manager', site: null, url: nobody },
  ],
  [
    'somebody leads elsewhere from where nobody is',
    at(led),
    { evidence: 'address', site: 'portal.example', url: 'http://portal.example:8080/login' },
  ],
  [
    'a page in the place of nobody',
    at(page(200)),
    { evidence: 'address', site: null, url: nobody },
  ],
  ['RFC 6585', at(page(511)), { evidence: 'address', site: null, url: nobody }],
  [
    'an address as the site',
    at(page(302, 'http://[2001:db8::5]/x')),
    { evidence: 'address', site: '2001:db8::5', url: 'http://[2001:db8::5]/x' },
  ],
  ['the error of a proxy is no login', at(page(502)), null],
  ['nor is a page that is not there', at(page(404)), null],
  [
    'two of three pages are other ones',
    { names: [right, other, astray] },
    { evidence: 'names', site: 'portal.example', url: 'http://portal.example:8080/login' },
  ],
  [
    'pages in their place',
    { names: [other, other, silent] },
    { evidence: 'names', site: null, url },
  ],
  ['one of three is that one’s affair', { names: [right, other, right] }, null],
  ['one of two does not decide', { names: [other, silent] }, null],
  ['all are right', { names: [right, right, right] }, null],
  ['nobody is asked', { names: [] }, null],
  [
    'errors are no other pages',
    { names: [503, 404, 500].map((status) => ({ url, text: 'online', page: page(status) })) },
    null,
  ],
  [
    'an empty answer with 204 is another one, too',
    { names: [204, 204].map((status) => ({ url, text: 'online', page: page(status) })) },
    { evidence: 'names', site: null, url },
  ],
])('%s', (_what, changes, verdict) => {
  expect(judge(readings(changes))).toEqual(verdict);
});

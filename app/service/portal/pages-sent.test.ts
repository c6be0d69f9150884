import { expect, test } from 'vitest';
import { countPages } from './pages-sent.ts';

test('pages in cleartext and hellos over TLS are counted apart, with when the last one left', () => {
  let now = 0;
  const pages = countPages(() => now);
  const none = { count: 0, last: null };
  expect(pages.list()).toEqual([
    { kind: 'portal-pages', ...none },
    { kind: 'portal-api', ...none },
  ]);
  for (const url of ['http://192.0.2.1/', 'http://check.example/', 'https://portal.example/api']) {
    now += 1000;
    pages.add(new URL(url));
  }
  expect(pages.list()).toEqual([
    { kind: 'portal-pages', count: 2, last: 2000 },
    { kind: 'portal-api', count: 1, last: 3000 },
  ]);
});

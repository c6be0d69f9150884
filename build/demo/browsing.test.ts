import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inRoot } from '../places.mjs';
import { browse } from './browsing.ts';
import { pagesOf } from './pages.ts';

const zone = readFileSync(inRoot('assets', 'demo', 'example.zone'), 'utf8');

test('a group of records becomes one page, each query once', () => {
  const pages = pagesOf(
    [
      'ns.example.       60 IN A     192.0.2.1',
      '; page one.example',
      'one.example.      60 IN A     192.0.2.2',
      'one.example.      60 IN A     192.0.2.3',
      'www.one.example.  60 IN CNAME one.example.',
      '; shared',
      'edge.example.     60 IN A     192.0.2.4',
    ].join('\n'),
  );
  expect(pages).toEqual([
    {
      name: 'one.example',
      queries: [
        { name: 'one.example', type: 'A' },
        { name: 'www.one.example', type: 'A' },
      ],
    },
  ]);
});

test('the bundled zone holds pages, aliases and HTTPS records', () => {
  const queries = pagesOf(zone).flatMap((page) => page.queries);
  expect(queries.length).toBeGreaterThan(200);
  expect(queries.some(({ type }) => type === 'HTTPS')).toBe(true);
  expect(zone).toMatch(/ IN CNAME /);
});

test('the same seed gives the same queries, another seed others', () => {
  const stroll = (seed: number) => {
    const visits = browse(pagesOf(zone), seed);
    return Array.from({ length: 5 }, () => visits.next().value);
  };
  expect(stroll(1)).toEqual(stroll(1));
  expect(stroll(1)).not.toEqual(stroll(2));
});

test('every burst has 8 to 30 queries', () => {
  const visits = browse(pagesOf(zone), 7);
  for (let count = 0; count < 200; count += 1) {
    const { queries } = visits.next().value;
    expect(queries.length).toBeGreaterThanOrEqual(8);
    expect(queries.length).toBeLessThanOrEqual(30);
  }
});

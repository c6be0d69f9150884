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
      questions: [
        { name: 'one.example', type: 'A' },
        { name: 'www.one.example', type: 'A' },
      ],
    },
  ]);
});

test('the bundled zone holds pages, aliases and HTTPS records', () => {
  const questions = pagesOf(zone).flatMap((page) => page.questions);
  expect(questions.length).toBeGreaterThan(200);
  expect(questions.some(({ type }) => type === 'HTTPS')).toBe(true);
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
    const { questions } = visits.next().value;
    expect(questions.length).toBeGreaterThanOrEqual(8);
    expect(questions.length).toBeLessThanOrEqual(30);
  }
});

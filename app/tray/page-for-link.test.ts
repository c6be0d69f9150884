import { expect, test } from 'vitest';
import { pageForLink } from './page-for-link.ts';

test('a link fills in the form, without a fingerprint', () => {
  const asked = new URLSearchParams({
    source: 'https://it.example.com/corp.json?a=b&c=d#/home',
    fingerprint: 'a'.repeat(64),
  });
  expect(pageForLink(['electron', '--flag', `sotto://enrol?${asked}`])).toBe('home');
  asked.set('source', 'https://it.example.com/corp.json?a=b&ring=other');
  asked.set('ring', 'canary');
  asked.set('allow', 'log,bypass');
  expect(pageForLink(['electron', '--flag', `sotto://enrol?${asked}`])).toBe(
    'profiles?source=https%3A%2F%2Fit.example.com%2Fcorp.json%3Fa%3Db%26ring%3Dother&ring=canary&allow=log%2Cbypass',
  );
});

test.each([
  [],
  ['sotto://page/#/settings'],
  ['sotto://enrol?source=javascript:alert(1)'],
  ['sotto://enrol?source=https%3A%2F%2Fa.example%2Fp.json&allow=everything'],
  ['https://it.example.com/corp.json'],
])('%j leads home', (...words) => {
  expect(pageForLink(words)).toBe('home');
});

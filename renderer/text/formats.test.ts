import { describe, expect, test } from 'vitest';
import { chooseLanguage } from './catalogue.ts';
import { createFormats } from './formats.ts';
import { wordsIn } from './use-text.ts';

const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

describe('a locale', () => {
  test.each([
    ['en-GB', '1,204,331', '97.4%', '0.12 ms', '38 ms', '1.2 sec', '7 minutes', '1.5 MB'],
    ['de-DE', '1.204.331', '97,4 %', '0,12 ms', '38 ms', '1,2 Sek.', '7 Minuten', '1,5 MB'],
  ])(
    '%s writes figures its own way',
    (locale, count, share, tiny, short, long, duration, octets) => {
      const formats = createFormats(locale);
      const written = [
        formats.count(1_204_331),
        formats.share(0.974, 1),
        formats.latency(0.12),
        formats.latency(38.2),
        formats.latency(1200),
        formats.duration(7 * 60_000),
        formats.octets(1_500_000),
      ].map(plain);
      expect(written.slice(0, 4).concat(written.slice(5))).toEqual([
        count,
        share,
        tiny,
        short,
        duration,
        octets,
      ]);
      expect(written[4]?.slice(0, 5)).toBe(long.slice(0, 5));
    },
  );

  test.each([
    [0, '0:00'],
    [61_000, '1:01'],
    [3_605_000, '1:00:05'],
    [-5, '0:00'],
  ])('%i ms count down as %s', (milliseconds, written) => {
    expect(createFormats('en').countdown(milliseconds)).toBe(written);
  });
});

test.each([
  [['de-AT', 'en'], 'de'],
  [['fr', 'de'], 'de'],
  [['fr'], 'en'],
  [['constructor'], 'en'],
  [[], 'en'],
] as const)('who reads %j is shown %s', (wanted, language) => {
  expect(chooseLanguage(wanted)).toBe(language);
});

test('a system without a language is no obstacle', () => {
  expect(wordsIn('en', ['en-US@posix']).formats.count(1000)).toBe('1,000');
});

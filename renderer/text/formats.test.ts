import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sayLatency, sayOctets, sayShare } from '../../app/contract/text/quantity.ts';
import { chooseLanguage } from './catalogue.ts';
import { createFormats } from './formats.ts';
import { loadLanguage } from './loaded.ts';
import { wordsIn } from './use-text.ts';

await loadLanguage('en');
await loadLanguage('de');

const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

describe('a locale', () => {
  test.each([
    ['en-GB', '1,204,331', '97.4%', '0.12 ms', '38.2 ms', '1.20 s', '7 minutes', '1.5 MB', '0 B'],
    ['de-DE', '1.204.331', '97,4 %', '0,12 ms', '38,2 ms', '1,20 s', '7 Minuten', '1,5 MB', '0 B'],
  ])('%s writes figures its own way', (locale, ...expected) => {
    const formats = createFormats(locale);
    const written = [
      formats.count(1_204_331),
      formats.share(0.974),
      formats.latency(0.12),
      formats.latency(38.2),
      formats.latency(1200),
      formats.duration(7 * 60_000),
      formats.octets(1_500_000),
      formats.octets(0),
    ];
    expect(written.map(plain)).toEqual(expected);
  });

  test('a time of another day says which', () => {
    const at = new Date(2026, 0, 31, 14, 58, 3).getTime();
    const formats = createFormats('en-GB');
    expect(formats.clock(at, at + 3_600_000)).toBe('14:58:03');
    expect(plain(formats.clock(at, at + 86_400_000))).toBe('31 Jan, 14:58:03');
    expect(plain(formats.moment(at, at + 86_400_000))).toBe('31 Jan, 14:58');
  });

  test('a time of another year says which, before and after', () => {
    const at = new Date(2026, 0, 31, 14, 58, 3).getTime();
    const formats = createFormats('en-GB');
    for (const now of [new Date(2027, 0, 31, 14, 58, 3), new Date(2025, 11, 31)]) {
      expect(plain(formats.clock(at, now.getTime()))).toBe('31 Jan 2026, 14:58:03');
      expect(plain(formats.moment(at, now.getTime()))).toBe('31 Jan 2026, 14:58');
    }
    const german = createFormats('de-DE');
    expect(german.moment(at, new Date(2027, 5, 1).getTime())).toContain('2026');
  });

  test('in English the page writes what the command line writes', () => {
    const formats = createFormats('en-GB');
    const withoutGroups = (text: string) => text.replaceAll(',', '');
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e7, noNaN: true }), (milliseconds) => {
        expect(withoutGroups(formats.latency(milliseconds))).toBe(sayLatency(milliseconds));
      }),
    );
    fc.assert(
      fc.property(fc.nat(2 ** 31 - 1), fc.nat(20), (octets, power) => {
        const size = octets * 2 ** power;
        expect(withoutGroups(formats.octets(size))).toBe(sayOctets(size));
      }),
    );
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
        expect(formats.share(share)).toBe(sayShare(share));
      }),
    );
  });

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

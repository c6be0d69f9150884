/** Texts that are nearly right: each reader refuses them, or what it read means the same when it is written and read again. */
import net from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { typeMnemonic, typeNumber } from './dns/dns-mnemonics.ts';
import { formatSocketAddress, parseSocketAddress } from './dns/socket-address.ts';
import { hoursText, readHours } from './settings/condition.ts';
import { enrolLinkStart, readEnrolLink } from './settings/enrol-link.ts';
import { readFingerprint, sayFingerprint } from './settings/fingerprint.ts';
import { parseNamedAddress } from './settings/upstream-settings.ts';
import { parseDuration } from './text/duration.ts';

const runs = { numRuns: 3000 };
const pieces = (...texts: string[]) =>
  fc.array(fc.constantFrom(...texts), { maxLength: 7 }).map((parts) => parts.join(''));

test('addresses with ports, in all notations', () => {
  const text = pieces(
    '192.0.2.1',
    '2001:db8::1',
    '::',
    '[',
    ']',
    ':',
    '#',
    '@',
    '%',
    '53',
    '0',
    '065',
    '-1',
    ' ',
  );
  fc.assert(
    fc.property(text, (written) => {
      const read = parseSocketAddress(written);
      if (read === null) return;
      expect(net.isIP(read.ip)).not.toBe(0);
      expect(parseSocketAddress(formatSocketAddress(read.ip, read.port ?? 53))).toEqual({
        ...read,
        port: read.port ?? 53,
      });
      // Nothing but the address, its brackets and the port stood there.
      const port = read.port === null ? '' : `:0*${read.port}`;
      const ip = read.ip.replace(/[.[\]]/g, '\\$&');
      expect(written.toLowerCase()).toMatch(new RegExp(`^\\[?${ip}\\]?${port}$`));
    }),
    runs,
  );
});

test('durations', () => {
  const text = pieces('1', '30', '.5', '0', 'ms', 's', 'm', 'h', 'd', ' ', '-', 'e3', ',', 'x');
  const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
  fc.assert(
    fc.property(text, (written) => {
      const read = parseDuration(written);
      if (read === null) return;
      const parts = written.match(/[\d.]+(?:ms|[smhd])/g) ?? [];
      expect(parts.join('')).toBe(written);
      const sum = parts
        .map((part) => Number.parseFloat(part) * (units[part.replace(/^[\d.]+/, '')] ?? Number.NaN))
        .reduce((one, other) => one + other, 0);
      expect(read).toBeCloseTo(sum, 6);
    }),
    runs,
  );
});

test('hours', () => {
  const text = pieces(
    'mon',
    'sun',
    ',',
    '@',
    ' ',
    '22:00',
    '24:00',
    '06:00',
    '6:00',
    '-',
    'Tue',
    '–',
  );
  fc.assert(
    fc.property(text, (written) => {
      const read = readHours(written);
      if (read === null) return;
      expect(hoursText(readHours(hoursText(read)) ?? read)).toBe(hoursText(read));
      for (const time of [read.from, read.to]) expect(written).toContain(time);
      for (const day of read.days ?? []) expect(written.toLowerCase()).toContain(day);
    }),
    runs,
  );
});

test('types of records', () => {
  const text = pieces('A', 'AAA', 'TYPE', '65', '28', '0', '655', '36', '-', 'x', ' ');
  fc.assert(
    fc.property(text, (written) => {
      const read = typeNumber(written);
      if (read !== null) expect(typeNumber(typeMnemonic(read))).toBe(read);
    }),
    runs,
  );
});

test('host names with ports', () => {
  const text = pieces(
    'dns.example',
    'bücher',
    '.',
    ':',
    '853',
    '0',
    '99999',
    '/',
    '192.0.2.1',
    ' ',
  );
  fc.assert(
    fc.property(text, (written) => {
      const read = parseNamedAddress(written);
      if (read === null) return;
      const again = read.port === null ? read.name : `${read.name}:${read.port}`;
      expect(parseNamedAddress(again)).toEqual(read);
    }),
    runs,
  );
});

test('links and fingerprints', () => {
  const link = pieces(
    'source=',
    'https://a.example/p',
    '&',
    'ring=',
    'canary',
    'allow=',
    'log',
    ',',
    'x',
    '%',
  );
  fc.assert(
    fc.property(link, (asked) => {
      const read = readEnrolLink(`${enrolLinkStart}${asked}`);
      if (read === null) return;
      const said = Object.entries(read).map(([key, value]): [string, string] => [
        key,
        String(value),
      ]);
      expect(readEnrolLink(`${enrolLinkStart}${new URLSearchParams(said)}`)).toEqual(read);
    }),
    runs,
  );
  const digits = fc.stringMatching(/^[0-9a-fA-F :x-]{60,80}$/);
  fc.assert(
    fc.property(digits, (written) => {
      const read = readFingerprint(written);
      if (read !== null) expect(readFingerprint(sayFingerprint(read))).toBe(read);
    }),
  );
});

import { describe, expect, test } from 'vitest';
import { lowOrderKeys } from '../settings/low-order-fixture.ts';
import { parseEncdnsUrl } from './encdns-url.ts';

const key = '0123456789abcdef'.repeat(4);

describe('the address of an EncDNS server', () => {
  test.each([
    [`encdns://enc.example?key=${key}`],
    [`  ENCDNS://Enc.Example./?key=${key.toUpperCase()}\n`],
  ])('is read: %j', (text) => {
    expect(parseEncdnsUrl(text)).toEqual({ ok: true, value: { zone: 'enc.example', key } });
  });

  test.each([
    ['encdns://', 'write it as encdns://ZONE?key=KEY'],
    [`encdns://?key=${key}`, 'write it as encdns://ZONE?key=KEY'],
    [`encdns://enc.example?key=${key}&via=192.0.2.1`, 'write it as encdns://ZONE?key=KEY'],
    [`encdns://enc.example#${key}`, 'write it as encdns://ZONE?key=KEY'],
    [`encdns://en c?key=${key}`, 'is no domain name'],
    [`encdns://enc.example?key=${key.slice(1)}`, '64 hexadecimal digits'],
    ['encdns://enc.example?key=', '64 hexadecimal digits'],
    ...lowOrderKeys.map((low) => [
      `encdns://enc.example?key=${low}`,
      'the key is a point of low order, with which anybody could open the boxes',
    ]),
  ])('is refused where it is not whole, or hides nothing: %j', (text, why) => {
    const read = parseEncdnsUrl(text);
    expect(read).toMatchObject({ ok: false, failure: { code: 'bad-stamp' } });
    if (!read.ok) expect(read.failure.message).toContain(why);
  });
});

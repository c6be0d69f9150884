/** What a pause code is bound to, and how people may write it. */
import { createHmac, hkdfSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { longestPauseMinutes } from '../../contract/bounds.ts';
import {
  codeOf,
  type PauseRequest,
  readChallenge,
  readCode,
  writeChallenge,
} from '../../contract/protection/pause-code.ts';
import {
  isResponse,
  keyFromSecret,
  type MachineKey,
  makeSecret,
  readMachineKey,
  responseTo,
  someCode,
  writeMachineKey,
} from './pause-key.ts';

const secret = `sotto-help-desk-secret-1 ${Buffer.alloc(32, 7).toString('base64')}\n`;
const request: PauseRequest = { machine: 'K7QM2XVD', nonce: '4F9T2QKM', minutes: 30 };
const keyOf = (machine: string, of = secret) => keyFromSecret(of, machine) as MachineKey;

test('the response is what RFC 5869 and RFC 2104 make of the secret, so that others can compute it, too', () => {
  const key = hkdfSync('sha256', Buffer.alloc(32, 7), '', 'sotto-pause-key-1 K7QM2XVD', 32);
  const mac = createHmac('sha256', Buffer.from(key))
    .update('sotto-pause-key-1\npause\nK7QM2XVD\n4F9T2QKM\n30')
    .digest();
  expect(responseTo(request, keyOf(request.machine))).toBe(codeOf(mac));
});

test('another machine, nonce, number of minutes, secret or key has another code', () => {
  const own = responseTo(request, keyOf(request.machine));
  const others = [
    responseTo({ ...request, nonce: '4F9T2QKN' }, keyOf(request.machine)),
    responseTo({ ...request, minutes: 31 }, keyOf(request.machine)),
    responseTo({ ...request, machine: 'K7QM2XVE' }, keyOf('K7QM2XVE')),
    responseTo(request, keyOf('K7QM2XVE')),
    responseTo(request, keyOf(request.machine, makeSecret())),
  ];
  expect(new Set([own, ...others]).size).toBe(6);
  for (const other of others)
    expect(isResponse(other, request, keyOf(request.machine))).toBe(false);
  expect(isResponse(own, request, keyOf(request.machine))).toBe(true);
  expect(isResponse('', request, keyOf(request.machine))).toBe(false);
});

test('a key survives its file; a text that is none is refused', () => {
  const key = keyOf('K7QM2XVD');
  expect(readMachineKey(writeMachineKey(key))).toEqual(key);
  const text = writeMachineKey(key);
  for (const wrong of ['', secret, text.replace('K7Q', 'U7Q'), text.slice(0, -6), `${text} more`])
    expect([wrong, readMachineKey(wrong)]).toEqual([wrong, null]);
  for (const wrong of ['', text, secret.slice(0, -6), `${secret}x`])
    expect([wrong, keyFromSecret(wrong, 'K7QM2XVD')]).toEqual([wrong, null]);
});

test.each([1, 30, 32, 1024, longestPauseMinutes])('a challenge says %i minutes', (minutes) => {
  const text = writeChallenge({ ...request, minutes });
  expect(text).toMatch(/^([0-9A-Z]{4}-){4}[0-9A-Z]{4}$/);
  expect(readChallenge(text)).toEqual({ ...request, minutes });
  expect(readChallenge(` ${text.toLowerCase().replaceAll('-', ' ')}`)).toEqual({
    ...request,
    minutes,
  });
});

test('characters that people mistake for others are read as meant', () => {
  expect(readCode('oiLl-01ab')).toBe('011101AB');
  for (const wrong of ['', '0123456', '012345678', '0123456U', '0123456é', '0123456７'])
    expect([wrong, readCode(wrong)]).toEqual([wrong, null]);
});

test('a character that was misread, or two that changed places, make no challenge', () => {
  const text = writeChallenge(request).replaceAll('-', '');
  let found = 0;
  for (let index = 0; index < 19; index += 1) {
    const [one = '', two = ''] = text.slice(index, index + 2);
    const misread = `${text.slice(0, index)}${one === 'A' ? 'B' : 'A'}${text.slice(index + 1)}`;
    expect(readChallenge(misread)).toBeNull();
    if (one === two || index === 18) continue;
    const swapped = `${text.slice(0, index)}${two}${one}${text.slice(index + 2)}`;
    expect(readChallenge(swapped)).toBeNull();
    found += 1;
  }
  expect(found).toBeGreaterThan(10);
});

test('nonces are spread over all characters', () => {
  const seen = new Set(Array.from({ length: 400 }, someCode).flatMap((code) => [...code]));
  expect(seen.size).toBe(32);
});

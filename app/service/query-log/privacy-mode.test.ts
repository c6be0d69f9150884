import { expect, test } from 'vitest';
import { record } from './event-record-fixture.ts';
import { applyPrivacyMode, registrableDomain } from './privacy-mode.ts';

test.each([
  ['www.example.com', 'example.com'],
  ['a.b.example.co.uk.', 'example.co.uk'],
  ['example.com', 'example.com'],
  ['_dmarc.example.com', 'example.com'],
  ['alice.github.io', 'github.io'],
  ['4.3.2.1.in-addr.arpa', '1.in-addr.arpa'],
  ['com', 'com'],
  ['localhost', 'localhost'],
  ['alices-laptop.corp.internal', 'internal'],
  ['printer.lan', 'lan'],
  ['192.0.2.1', '1'],
  ['evil\\.label.example.com', 'example.com'],
  ['secret\\.com', 'secret\\.com'],
  ['secret.bad\\032suffix', 'bad\\032suffix'],
  ['secret.bad\\010.com', 'bad\\010.com'],
  ['.', ''],
  ['', ''],
])('%s is kept as %s', (name, kept) => {
  expect(registrableDomain(name)).toBe(kept);
});

test('full keeps everything', () => {
  const event = record({ rule: 'corp.example', reason: 'because' });
  expect(applyPrivacyMode(event, 'full')).toEqual(event);
});

test('domain keeps the secret part of a name out of rule and reason too', () => {
  const event = record({
    name: 'secret.example.com',
    rule: 'secret.example.com',
    reason: 'no path for Secret.example.com, secret.example.com refused',
  });
  expect(applyPrivacyMode(event, 'domain')).toEqual({
    ...event,
    name: 'example.com',
    rule: 'example.com',
    reason: 'no path for example.com, example.com refused',
  });
});

test.each(['counts', 'off'] as const)('%s keeps no name anywhere', (mode) => {
  const event = record({
    name: 'secret.test',
    rule: 'secret.test',
    reason: 'secret.test is special',
  });
  expect(JSON.stringify(applyPrivacyMode(event, mode))).not.toContain('secret');
});

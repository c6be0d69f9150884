import { expect, test } from 'vitest';
import { dnstapSocket, metricsCollector, metricsListen } from './fleet-settings.ts';

test.each([
  ['off', true],
  ['127.0.0.1:9653', true],
  ['127.8.0.1:1', true],
  ['[::1]:9653', true],
  ['unix:/run/sotto/metrics.sock', true],
  ['0.0.0.0:9653', false],
  ['192.0.2.1:9653', false],
  ['[::]:9653', false],
  ['[::ffff:127.0.0.1]:9653', false],
  ['localhost:9653', false],
  ['127.0.0.1', false],
  ['127.0.0.1:0', false],
  ['127.evil.example:9653', false],
  ['unix:metrics.sock', false],
  ['unix:/run/sotto/', false],
  [`unix:/${'a'.repeat(107)}`, false],
  ['', false],
])('metrics are fetched at %s: %s', (text, isPlace) => {
  expect(metricsListen.safeParse(text).success).toBe(isPlace);
});

test.each([
  ['https://otel.example.com/v1/metrics', true],
  ['https://192.0.2.1:4318/v1/metrics', true],
  ['http://127.0.0.1:4318/v1/metrics', true],
  ['http://[::1]:4318/v1/metrics', true],
  ['http://otel.example.com/v1/metrics', false],
  ['http://localhost:4318/v1/metrics', false],
  ['http://127.evil.example/v1/metrics', false],
  ['https://user:password@otel.example.com/', false],
  ['ftp://otel.example.com/', false],
  ['otel.example.com', false],
])('metrics are sent to %s: %s', (text, isPlace) => {
  expect(metricsCollector.safeParse(text).success).toBe(isPlace);
});

test.each([
  ['/run/dnstap.sock', true],
  ['off', true],
  ['dnstap.sock', false],
  ['/run/a\0b', false],
])('queries go to the socket %j: %s', (text, isPlace) => {
  expect(dnstapSocket.safeParse(text).success).toBe(isPlace);
});

test('what is refused is named, with what would do', () => {
  expect(metricsListen.safeParse('0.0.0.0:9653').error?.issues[0]?.message).toMatch(
    /^"0\.0\.0\.0:9653" is not an address of this computer with a port, such as "127\.0\.0\.1:9653"/,
  );
});

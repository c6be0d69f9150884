import { expect, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import type { PortalStatus } from '../../contract/system/portal.ts';
import { runCommand, serve } from '../fixtures/fake-service.ts';
import { someStatus } from '../fixtures/made-up.ts';

const portal: PortalStatus = {
  evidence: 'address',
  site: 'portal.example\u001b[2J',
  url: 'http://portal.example/\u202elogin',
  since: Date.UTC(2026, 0, 31, 14, 2),
  byItself: false,
  skipped: false,
  login: null,
};

test('what is known of a login page is told without what it would do to the terminal', async () => {
  const home = await serve({ 'status.get': () => succeed(someStatus({ portal })) });
  const { code, out } = await runCommand(home, 'portal', 'status');
  expect(code).toBe(0);
  expect(out).toContain('This network wants you to log in: portal.example');
  expect(out).toContain('somebody answers at an address that nobody has');
  for (const hostile of ['\u001b', '\u202e']) expect(out).not.toContain(hostile);
});

test('one that was set aside is not said to be wanted', async () => {
  const skipped = { ...portal, skipped: true };
  const home = await serve({ 'status.get': () => succeed(someStatus({ portal: skipped })) });
  const { out } = await runCommand(home, 'portal', 'status');
  expect(out).toContain('set aside until the network changes: portal.example');
  expect(out).not.toContain('wants you to log in');
});

test('without a login page there is nothing to tell', async () => {
  const home = await serve({
    'status.get': () => succeed(someStatus()),
    'portal.open': () => fail('no-portal', 'no login page is known here', 'look for one'),
  });
  const status = await runCommand(home, 'portal', 'status');
  expect([status.code, status.out, status.errors]).toEqual([
    0,
    '',
    'No login page is known here.\n',
  ]);
  const opened = await runCommand(home, 'portal', 'open');
  expect([opened.code, opened.out]).toEqual([1, '']);
  expect(opened.errors).toContain('no login page is known here');
});

test('an open login says how a browser of one’s own gets through', async () => {
  const proxy = { host: '127.0.0.1', port: 40_404, user: 'u1', password: 'p1' };
  const until = Date.UTC(2026, 0, 31, 14, 7);
  const home = await serve({
    'portal.open': () => succeed({ url: 'http://portal.example/', proxy, until }),
  });
  const { out } = await runCommand(home, 'portal', 'open');
  expect(out).toContain('http://portal.example/');
  expect(out).toContain('127.0.0.1:40404, user u1, password p1');
});

test.each(['check', 'close', 'skip'] as const)('%s says what is known after it', async (word) => {
  const home = await serve({
    [`portal.${word}`]: () => succeed({ text: 'Done\u001b[2J.', portal }),
  });
  const { code, out } = await runCommand(home, 'portal', word);
  expect([code, out.split('\n')[0]]).toEqual([0, 'Done\\x1b[2J.']);
  expect(out).toContain('This network wants you to log in: portal.example');
});

test.each(['0', '-1', '61', 'ten', ''])('a site is not allowed for %j minutes', async (minutes) => {
  const home = await serve({});
  const words = ['allow-site', 'portal.example', '--minutes', minutes];
  const { code, errors } = await runCommand(home, 'portal', ...words);
  expect(code).toBe(2);
  expect(errors).toContain('is not a number of minutes');
});

import { expect, test } from 'vitest';
import type { PolicyEntry } from '../../settings/policy-file.ts';
import { readPolicy } from '../../settings/policy-file.ts';
import { rolledBack } from './rolled-back.ts';

const pin = `${'A'.repeat(43)}=`;
const server = { id: 'corp', transport: 'dot', address: '192.0.2.1', name: 'dns.corp.example' };
const moved = { ...server, address: '192.0.2.99' };

type Said = Record<string, unknown>;

function entries(said: Said): PolicyEntry[] {
  const settings = Object.fromEntries(
    Object.entries(said).map(([key, value]) => [key, { value, lock: 'locked', reason: 'why' }]),
  );
  const { policy } = readPolicy('', JSON.stringify({ name: 'Example Corp', settings }));
  return policy?.entries ?? [];
}

function returned(is: Said, was: Said): Said | null {
  const back = rolledBack(entries(is), entries(was));
  return back && Object.fromEntries(back.map(({ key, value }) => [key, value]));
}

test('a server that was put somewhere else is where it was, as the server that it is now', () => {
  const is = { upstreams: [{ ...moved, name: 'new.corp.example', pins: [pin] }] };
  const was = {
    upstreams: [{ ...server, transport: 'tdns', starttls: 'draft', alternative: 853 }],
  };
  expect(returned(is, was)).toEqual({
    upstreams: [
      {
        ...{ id: 'corp', transport: 'tdns', address: '192.0.2.1', alternative: 853 },
        ...{ starttls: 'draft', name: 'new.corp.example', pins: [pin] },
      },
    ],
  });
});

test.each([
  ['the same place', server, server],
  ['a server that is gone', { ...moved, id: 'new' }, server],
  ['one that is known by its address alone', { ...moved, name: undefined }, server],
  ['one that is shown an identity', { ...moved, identity: 'laptop' }, server],
  ['a way around the proxy', { ...moved, proxy: 'socks5://127.0.0.1:9050' }, server],
  ['a place without TLS', moved, { ...server, transport: 'udp', name: undefined }],
])('%s does not return', (_what, is, was) => {
  expect(returned({ upstreams: [is] }, { upstreams: [was] })).toBeNull();
});

test('other upstreams of the version stay, and no former one is added', () => {
  const other = { ...server, id: 'other', address: '192.0.2.2' };
  const gone = { ...server, id: 'gone', address: '192.0.2.3' };
  expect(returned({ upstreams: [moved, other] }, { upstreams: [gone, server] })).toEqual({
    upstreams: [server, other],
  });
});

test('what protects stays, and so does a setting that the version before left looser', () => {
  const is = {
    upstreams: [moved],
    downgrade: 'refuse',
    rungs: [],
    consent: 'administrator',
    'queryLog.mode': 'off',
    bypass: [],
    'cache.entries': 100,
  };
  const was = {
    upstreams: [server],
    downgrade: 'fallback',
    rungs: ['udp'],
    consent: 'anyone',
    'queryLog.mode': 'full',
    bypass: [{ suffix: 'corp.example', to: ['192.0.2.53'] }],
    'cache.entries': 200,
  };
  expect(returned(is, was)).toEqual({ ...is, upstreams: [server], 'cache.entries': 200 });
});

test('a stricter policy of the version before does not return either', () => {
  const is = { upstreams: [moved], downgrade: 'warn' };
  expect(returned(is, { upstreams: [server], downgrade: 'refuse' })).toEqual({
    upstreams: [server],
    downgrade: 'warn',
  });
});

test('what says where names go never comes back, although less of it would be stricter', () => {
  const rule = { suffix: 'corp.example', to: ['192.0.2.53'] };
  const is = {
    upstreams: [moved, { ...server, id: 'work', group: 'work' }],
    groups: { work: { names: ['work.example'] } },
    bypass: [rule, { ...rule, suffix: 'intern.example' }],
    learnRules: 'vpn',
    allowPrivate: ['corp.example'],
    forwardSpecial: ['test'],
    pause: 'code',
  };
  const was = {
    upstreams: [server],
    groups: {},
    bypass: [rule],
    learnRules: 'off',
    allowPrivate: [],
    forwardSpecial: [],
    pause: 'allowed',
  };
  expect(returned(is, was)).toEqual({ ...is, upstreams: [server, is.upstreams[1]] });
});

test('lock, reason and end are those of the new version', () => {
  const [back] = rolledBack(entries({ upstreams: [moved] }), [
    ...entries({ upstreams: [server] }).map((entry) => ({ ...entry, lock: false, reason: null })),
  ]) ?? [null];
  expect(back).toMatchObject({ lock: true, reason: 'why', until: null });
});

test('where nothing is said of upstreams, nothing returns', () => {
  expect(returned({ 'cache.entries': 1 }, { 'cache.entries': 2, upstreams: [server] })).toBeNull();
});

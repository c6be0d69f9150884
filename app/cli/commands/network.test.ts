import { expect, test } from 'vitest';
import { fail, succeed } from '../../contract/errors.ts';
import type { NetworkEntry } from '../../contract/system/network.ts';
import { runCommand, serve } from '../fixtures/fake-service.ts';

function someNetwork(changes: Partial<NetworkEntry> = {}): NetworkEntry {
  return {
    id: '3f2a9c01b7de',
    name: 'home',
    label: '192.0.2.0/24 via 192.0.2.1 on eth0',
    hints: {
      interface: 'eth0',
      gateway: '192.0.2.1',
      gatewayMac: '02:00:5e:00:00:01',
      prefix: '192.0.2.0/24',
      domain: 'home.arpa',
    },
    policy: 'refuse',
    authenticated: true,
    firstSeen: Date.UTC(2026, 0, 31, 14, 2),
    lastSeen: Date.UTC(2026, 1, 1, 9, 30),
    current: true,
    ...changes,
  };
}

const cafe = someNetwork({
  id: '00112233aabb',
  name: null,
  label: '198.51.100.0/24 via 198.51.100.1 on wlan0',
  policy: null,
  authenticated: false,
  current: false,
});

test('list: the one we are on is marked, what strangers chose is made harmless', async () => {
  const networks = [someNetwork(), cafe, someNetwork({ name: 'x\u202ey', current: false })];
  const home = await serve({ 'network.list': () => succeed({ networks, unavailable: null }) });
  const { code, out } = await runCommand(home, 'network', 'list');
  expect(code).toBe(0);
  expect(out.trimEnd().split('\n')).toEqual([
    '   id            name      policy           upstream proved  last seen         looks like',
    '▸  3f2a9c01b7de  home      refuse           yes              2026-02-01 09:30  192.0.2.0/24 via 192.0.2.1 on eth0',
    '   00112233aabb  –         as the settings  no               2026-02-01 09:30  198.51.100.0/24 via 198.51.100.1 on wlan0',
    '   3f2a9c01b7de  x\\u202ey  refuse           yes              2026-02-01 09:30  192.0.2.0/24 via 192.0.2.1 on eth0',
  ]);
  const json = await runCommand(home, 'network', 'list', '--json');
  expect(JSON.parse(json.out)).toEqual({ networks, unavailable: null });
});

test('list says where networks can’t be told apart', async () => {
  const unavailable = "the network can't be watched on darwin";
  const home = await serve({ 'network.list': () => succeed({ networks: [], unavailable }) });
  const { out } = await runCommand(home, 'network', 'list');
  expect(out).toBe(`${unavailable}.\nNo network is remembered yet.\n`);
});

test('show tells what tells it from others, its links and resolvers', async () => {
  const asked: unknown[] = [];
  const details = {
    network: someNetwork({ policy: 'fallback' }),
    links: [
      {
        name: 'eth0',
        kind: 'ethernet',
        up: true,
        running: true,
        addresses: ['192.0.2.7/24'],
        resolvers: ['192.0.2.1:53'],
        domains: ['home.arpa', '~.'],
      },
    ],
    confirmed: false,
  };
  const home = await serve({
    'network.show': (params) => {
      asked.push(params);
      return succeed(details);
    },
  });
  const { out } = await runCommand(home, 'network', 'show');
  expect(out.trimEnd().split('\n')).toEqual([
    'Network     home (you are on it)',
    'Looks like  192.0.2.0/24 via 192.0.2.1 on eth0',
    'Id          3f2a9c01b7de',
    'Policy      fallback, if stricter than the settings: nothing has proved yet that this is the network it was given to',
    'Upstream    has proved itself here',
    'Gateway     192.0.2.1, 02:00:5e:00:00:01, on eth0',
    'Domain      home.arpa',
    'First seen  2026-01-31 14:02',
    'Last seen   2026-02-01 09:30',
    '',
    'link  kind      state    addresses     resolvers     domains',
    'eth0  ethernet  running  192.0.2.7/24  192.0.2.1:53  home.arpa ~.',
  ]);
  const json = await runCommand(home, 'network', 'show', 'home', '--json');
  expect(JSON.parse(json.out)).toEqual(details);
  expect(asked).toEqual([{}, { network: 'home' }]);
});

test('name, set and forget ask for what they say', async () => {
  const asked: unknown[] = [];
  const home = await serve({
    'network.set': (params) => {
      asked.push(params);
      return succeed(someNetwork({ policy: params.policy ?? null }));
    },
    'network.forget': (params) => {
      asked.push(params);
      return succeed(cafe);
    },
  });
  const run = (...words: string[]) => runCommand(home, 'network', ...words);
  expect((await run('name', 'home')).out).toBe(
    'home (192.0.2.0/24 via 192.0.2.1 on eth0): as the settings say.\n',
  );
  await run('name', '--clear', '--network', 'home');
  expect((await run('set', '--policy', 'refuse')).out).toMatch(/: refuse\.\n$/);
  await run('set', '--policy', 'default', '--network', '00112233aabb');
  expect((await run('forget', '00112233aabb')).out).toBe('00112233aabb is forgotten.\n');
  expect(asked).toEqual([
    { name: 'home' },
    { network: 'home', name: null },
    { policy: 'refuse' },
    { network: '00112233aabb', policy: null },
    { network: '00112233aabb' },
  ]);
});

test('a network nobody knows: exit code 2 and where to look', async () => {
  const home = await serve({
    'network.forget': ({ network }) =>
      fail('unknown-network', `no network "${network}" is remembered`, 'see: sotto network list'),
  });
  expect(await runCommand(home, 'network', 'forget', 'x')).toEqual({
    code: 2,
    out: '',
    errors: 'sotto: no network "x" is remembered – nothing was done – see: sotto network list\n',
  });
});

test.each([
  [['name'], /a name, or --clear: one of them/],
  [['name', 'home', '--clear'], /a name, or --clear: one of them/],
  [['set'], /required option '--policy <policy>' not specified/],
  [['set', '--policy', 'never'], /argument 'never' is invalid/],
  [['forget'], /missing required argument 'network'/],
])('wrong usage %j: exit code 2 and a remedy', async (words, message) => {
  const { code, out, errors } = await runCommand('/nonexistent', 'network', ...words);
  expect([code, out]).toEqual([2, '']);
  expect(errors).toMatch(message);
});

test.each(['list', 'show', 'name', 'set', 'forget'])(
  'help of network %s teaches',
  async (command) => {
    const { code, out } = await runCommand('/nonexistent', 'network', command, '--help');
    expect(code).toBe(0);
    expect(out).toContain(`\nExamples:\n  sotto network ${command}`);
  },
);

import { expect, test } from 'vitest';
import { succeed } from '../../contract/errors.ts';
import type { ConnectionAudit, ListedAddress } from '../../contract/system/connections.ts';
import { runCommand, serve } from '../fixtures/fake-service.ts';
import { dayAndMinute } from '../terminal/clock.ts';

const at = 1_769_871_483_412;

function address(changes: Partial<ListedAddress>): ListedAddress {
  return {
    ...{ address: '203.0.113.7', port: 443, protocol: 'tcp', standing: 'nameless', resolver: null },
    ...{ firstSeen: at, lastSeen: at, connections: 1, open: 1 },
    ...changes,
  };
}

function audit(...addresses: ListedAddress[]): ConnectionAudit {
  const seen = { named: 9, listed: 2, accepted: 3, nearby: 4, own: 1, isWhole: true };
  const program = { program: 'evil\x1b[2J', application: '', icon: '', unit: '', container: '' };
  return {
    ...{
      since: at,
      lookedAt: at,
      remembersSince: at,
      addresses: 120,
      seen,
      trouble: '',
      leftOut: 1,
    },
    programs:
      addresses.length === 0 ? [] : [{ ...program, executable: '', user: 'ann', addresses }],
  };
}

const limits = [{ text: 'It sees little.', says: [{ code: 'connections-brief', params: {} }] }];

test('connections lists what no response gave, and apart what is not judged', async () => {
  const found = audit(
    address({ resolver: 'Quad9', address: '2620:fe::fe', connections: 3 }),
    address({ standing: 'older', protocol: 'udp' }),
  );
  const home = await serve({ 'connections.list': () => succeed({ audit: found, limits }) });
  const { code, out } = await runCommand(home, 'connections');
  expect(code).toBe(0);
  const when = dayAndMinute(at);
  const lines = out.split('\n').map((line) => line.replaceAll(/ {2,}/g, '  '));
  expect(lines.slice(1, -1)).toEqual([
    '',
    'program  user  address  protocol  connections  open  first seen  last seen  what it is',
    `evil\\x1b[2J  ann  [2620:fe::fe]:443  tcp  3  1  ${when}  ${when}  the resolver Quad9`,
    '',
    'Not judged, because it is not known whether a response gave the address:',
    '',
    'program  user  address  protocol  connections  open  first seen  last seen  what it is',
    `evil\\x1b[2J  ann  203.0.113.7:443  udp  1  1  ${when}  ${when}  older than the audit`,
    '',
    'At the last look 19 connections: 9 to addresses that responses gave, 2 listed, 3 opened by other computers, 4 to this computer or its network, 1 of Sotto itself. 120 addresses remembered.',
    '1 address made room for newer ones.',
    '',
    'What this can not tell:',
    '  It sees little.',
  ]);
  expect(lines[0]).toMatch(/^Addresses that no response gave, since /);
});

test('connections says where there is nothing, no audit, or trouble', async () => {
  const replies = [
    { audit: audit(), limits },
    { audit: null, limits: [] },
    { audit: { ...audit(), seen: null, trouble: 'not permitted' }, limits },
  ];
  const home = await serve({ 'connections.list': () => succeed(replies.shift() as never) });
  expect((await runCommand(home, 'connections')).out).toMatch(/^No program reached an address /);
  expect((await runCommand(home, 'connections')).out).toContain(
    'To begin: sotto config set audit.connections true',
  );
  expect((await runCommand(home, 'connections')).out).toContain(
    'Connections could not be looked at: not permitted.',
  );
});

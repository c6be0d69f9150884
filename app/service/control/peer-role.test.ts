import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadEngineAddon } from '../engine/engine-addon.ts';
import { howToGetRole, knowPeers, type PeerAddon, roleOf, serviceMode } from './peer-role.ts';

const groups = { control: 500, administer: 501 };
const none = { control: null, administer: null };
const peer = (uid: number, ...gids: number[]) => ({ pid: 1, uid, gids });

test.each([
  ['the same user', peer(1000, 1000), 'user', groups, 'administer'],
  ['root', peer(0, 0), 'user', groups, 'administer'],
  ['another user', peer(1001, 1001), 'user', groups, null],
  ['another user in a group that counts elsewhere', peer(1001, 501), 'user', groups, null],
  ['an unknown user', null, 'user', groups, null],
  ['the same user', peer(1000, 1000), 'system', groups, 'administer'],
  ['root', peer(0, 0), 'system', groups, 'administer'],
  ['another user', peer(1001, 1001), 'system', groups, 'observe'],
  ['a member of sotto', peer(1001, 1001, 500), 'system', groups, 'control'],
  ['a member of sotto-admin', peer(1001, 1001, 501), 'system', groups, 'administer'],
  ['a member of both', peer(1001, 1001, 500, 501), 'system', groups, 'administer'],
  ['sotto as primary group', peer(1001, 500), 'system', groups, 'control'],
  ['an unknown user', null, 'system', groups, 'observe'],
  ['no such groups here', peer(1001, 500, 501), 'system', none, 'observe'],
] as const)('%s (%j) of a %s service', (_who, who, mode, known, role) => {
  const found = who === null ? null : { ...who, gids: [...who.gids] };
  expect(roleOf({ peer: found, serviceUid: 1000, mode, groups: known })).toBe(role);
});

test('the remedy names the group where a group would help', () => {
  expect(howToGetRole('control', 'system')).toMatch(/group sotto \(usermod -aG sotto YOU\)/);
  expect(howToGetRole('administer', 'system')).toMatch(/root.*group sotto-admin /);
  expect(howToGetRole('administer', 'user')).toBe(
    'run this as the user who runs Sotto, or as root',
  );
});

test('the mode is told by whoever starts the service', () => {
  expect(serviceMode({ SOTTO_MODE: 'system' })).toBe('system');
  expect(serviceMode({ SOTTO_MODE: 'System' })).toBe('user');
  expect(serviceMode({})).toBe('user');
});

const built = loadEngineAddon();

test('the kernel says who is at the other end of a real socket', async ({ skip }) => {
  if (!built.ok) return skip(built.failure.message);
  const addon = built.value as PeerAddon;
  const folder = mkdtempSync(join(tmpdir(), 'sotto-peer-'));
  const server = createServer();
  await new Promise<void>((done) => server.listen(join(folder, 's'), done));
  const accepted = new Promise<Socket>((done) => server.once('connection', done));
  const client = connect(join(folder, 's'));
  const socket = await accepted;
  const descriptor = (socket as unknown as { _handle: { fd: number } })._handle.fd;
  expect(addon.peerCredentials?.(descriptor)).toEqual({
    pid: process.pid,
    uid: process.getuid?.(),
    gids: expect.arrayContaining([process.getgid?.(), ...(process.getgroups?.() ?? [])]),
  });
  expect(knowPeers(addon, 'user').roleOf(socket)).toBe('administer');
  const person = knowPeers(addon, 'user', { nameOf: (uid) => `number ${uid}` }).personOf(socket);
  expect(addon.peerCredentials?.(-1)).toBeNull();
  expect(addon.groupId?.('root')).toBe(0);
  expect(addon.groupId?.('no-such-group-here')).toBeNull();
  client.destroy();
  socket.destroy();
  expect(person?.()).toBe(`number ${process.getuid?.()}`);
  expect(knowPeers(addon, 'user').roleOf(socket)).toBeNull();
  await new Promise((done) => server.close(done));
  rmSync(folder, { recursive: true });
});

test('where the system can not tell, the mode of the file decides for one user, and nobody rises', () => {
  const socket = {} as Socket;
  expect(knowPeers({}, 'user').roleOf(socket)).toBe('administer');
  expect(knowPeers({}, 'user').personOf(socket)).toBeNull();
  expect(knowPeers({}, 'system').roleOf(socket)).toBe('observe');
});

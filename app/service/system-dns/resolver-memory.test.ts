import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LinkResolvers } from '../network/network-snapshot.ts';
import { openResolverMemory } from './resolver-memory.ts';

const eth0: LinkResolvers = {
  interface: 'eth0',
  servers: ['192.0.2.1:53'],
  domains: [{ name: 'corp.example', routeOnly: false }],
  vpn: false,
  source: 'network-manager',
};

function someFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sotto-memory-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'resolvers.json');
}

test('what a link told is known again by the next life', () => {
  const file = someFile();
  openResolverMemory(file).note([eth0, { ...eth0, interface: 'wlan0', servers: [] }]);
  const next = openResolverMemory(file);
  expect(next.find('eth0')).toEqual({ servers: eth0.servers, domains: eth0.domains });
  expect(next.find('wlan0')).toBeNull();
});

test('both families of a link are remembered, told one by one', () => {
  const memory = openResolverMemory(someFile());
  memory.note([eth0, { ...eth0, servers: ['[2001:db8::1]:53'], domains: [] }]);
  expect(memory.find('eth0')?.servers).toEqual(['192.0.2.1:53', '[2001:db8::1]:53']);
});

test.each([
  ['nothing', ''],
  ['no JSON', '{'],
  ['something else', '{"eth0":["192.0.2.1"]}'],
])('a file that holds %s is none', (_what, text) => {
  const file = someFile();
  writeFileSync(file, text);
  const memory = openResolverMemory(file);
  expect(memory.find('eth0')).toBeNull();
  memory.note([eth0]);
  expect(openResolverMemory(file).find('eth0')).not.toBeNull();
});

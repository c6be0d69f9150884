/** Against a real dbus-daemon on an address of its own; what stands behind the names is made up. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, defineInterface, type MessageBus } from 'dbus-native';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { mergeLinkResolvers, nothingOnBus, type OnBus } from './link-resolvers.ts';
import { type ResolversOnBus, watchResolversOnBus } from './resolvers-on-bus.ts';

const daemonFile = ['/usr/bin/dbus-daemon', '/bin/dbus-daemon'].find((file) => existsSync(file));
const eth0 = [{ index: 2, name: 'eth0' }];

describe('resolvers on the bus', () => {
  let folder: string;
  let address: string;
  let daemon: ChildProcess | null = null;
  let watch: ResolversOnBus;
  const services: MessageBus[] = [];

  beforeEach((context) => {
    if (daemonFile === undefined) context.skip('no dbus-daemon: apt-get install dbus-daemon');
    folder = mkdtempSync(join(tmpdir(), 'sotto-bus-'));
    address = `unix:path=${join(folder, 'bus')}`;
    watch = watchResolversOnBus({ address, firstRetry: 20, longestRetry: 20 });
  });

  afterEach(async () => {
    watch?.close();
    for (const service of services.splice(0)) await service.close();
    await stopDaemon();
    rmSync(folder, { recursive: true, force: true });
  });

  test('no bus is nothing to complain about; it is found when it comes, and again when it returns', async () => {
    expect(watch.current()).toEqual(nothingOnBus);
    await startDaemon();
    await fakeResolved('192.0.2.53');
    await until((read) => serversOf(read).includes('192.0.2.53:53'));

    for (const service of services.splice(0)) await service.close();
    await stopDaemon();
    await until((read) => read.resolved === null);

    await startDaemon();
    await fakeResolved('192.0.2.54');
    await until((read) => serversOf(read).includes('192.0.2.54:53'));
  });

  test('a change is told by signal, and so is the service leaving', async () => {
    await startDaemon();
    const resolved = await fakeResolved('192.0.2.53');
    await until((read) => serversOf(read).includes('192.0.2.53:53'));
    resolved.setServer('198.51.100.53');
    await until((read) => serversOf(read).includes('198.51.100.53:53'));
    for (const service of services.splice(0)) await service.close();
    await until((read) => read.resolved === null);
  });

  test('NetworkManager beside it', async () => {
    await startDaemon();
    await fakeManager();
    await until((read) => read.networkManager !== null);
    expect(mergeLinkResolvers(watch.current(), eth0)).toEqual([
      {
        interface: 'tun0',
        servers: ['10.8.0.1:53'],
        domains: [{ name: 'corp.example', routeOnly: true }],
        vpn: true,
        source: 'network-manager',
      },
    ]);
  });

  const serversOf = (read: OnBus) => mergeLinkResolvers(read, eth0).flatMap((link) => link.servers);

  function until(fits: (read: OnBus) => boolean): Promise<void> {
    if (fits(watch.current())) return Promise.resolve();
    return new Promise((resolve) => {
      const end = watch.onChange((read) => {
        if (!fits(read)) return;
        end();
        resolve();
      });
    });
  }

  async function startDaemon(): Promise<void> {
    const configuration = join(folder, 'bus.conf');
    writeFileSync(
      configuration,
      `<busconfig><listen>${address}</listen><auth>EXTERNAL</auth><policy context="default">
       <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>
       </policy></busconfig>`,
    );
    const child = spawn(
      daemonFile ?? '',
      ['--nofork', '--nopidfile', '--print-address=1', `--config-file=${configuration}`],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    daemon = child;
    await new Promise((resolve) => child.stdout.once('data', resolve));
  }

  async function stopDaemon(): Promise<void> {
    const child = daemon;
    daemon = null;
    if (child === null || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill();
    await ended;
  }

  function connect(): MessageBus {
    const bus = createClient({ busAddress: address });
    bus.connection.on('error', () => {});
    services.push(bus);
    return bus;
  }

  async function fakeResolved(first: string): Promise<{ setServer(ip: string): void }> {
    const bus = connect();
    const path = '/org/freedesktop/resolve1';
    const serversAt = (ip: string) => [[2, 2, Buffer.from(ip.split('.').map(Number)), 0, '']];
    let servers = serversAt(first);
    const manager = defineInterface({
      name: 'org.freedesktop.resolve1.Manager',
      properties: {
        DNSEx: { type: 'a(iiayqs)', access: 'read', get: () => servers },
        Domains: { type: 'a(isb)', access: 'read', get: () => [[2, 'home.arpa', false]] },
      },
    });
    await bus.export(path, manager);
    await bus.ownName('org.freedesktop.resolve1');
    return {
      setServer: (ip) => {
        servers = serversAt(ip);
        bus.emitPropertiesChanged(path, manager.name, { DNSEx: servers });
      },
    };
  }

  async function fakeManager(): Promise<void> {
    const bus = connect();
    const entry = {
      nameservers: ['10.8.0.1'],
      domains: ['~corp.example'],
      interface: 'tun0',
      vpn: true,
    };
    const dns = defineInterface({
      name: 'org.freedesktop.NetworkManager.DnsManager',
      properties: { Configuration: { type: 'aa{sv}', access: 'read', get: () => [entry] } },
    });
    await bus.export('/org/freedesktop/NetworkManager/DnsManager', dns);
    await bus.ownName('org.freedesktop.NetworkManager');
  }
});

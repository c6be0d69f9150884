/** Against a real dbus-daemon on an address of its own; what stands behind the names is made up. */
import { defineInterface } from 'dbus-native';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TestBus, whyNoBus } from './bus-fixture.ts';
import { mergeLinkResolvers, nothingOnBus, type OnBus } from './link-resolvers.ts';
import { type ResolversOnBus, watchResolversOnBus } from './resolvers-on-bus.ts';

const eth0 = [{ index: 2, name: 'eth0' }];

describe('resolvers on the bus', () => {
  let daemon: TestBus;
  let watch: ResolversOnBus;

  beforeEach((context) => {
    if (whyNoBus !== null) context.skip(whyNoBus);
    daemon = new TestBus();
    watch = watchResolversOnBus({ address: daemon.address, firstRetry: 20, longestRetry: 20 });
  });

  afterEach(async () => {
    watch?.close();
    await daemon?.remove();
  });

  test('no bus is nothing to complain about; it is found when it comes, and again when it returns', async () => {
    expect(watch.current()).toEqual(nothingOnBus);
    await daemon.start();
    await fakeResolved('192.0.2.53');
    await until((read) => serversOf(read).includes('192.0.2.53:53'));

    await daemon.endServices();
    await daemon.stop();
    await until((read) => read.resolved === null);

    await daemon.start();
    await fakeResolved('192.0.2.54');
    await until((read) => serversOf(read).includes('192.0.2.54:53'));
  });

  test('a change is told by signal, and so is the service leaving', async () => {
    await daemon.start();
    const resolved = await fakeResolved('192.0.2.53');
    await until((read) => serversOf(read).includes('192.0.2.53:53'));
    resolved.setServer('198.51.100.53');
    await until((read) => serversOf(read).includes('198.51.100.53:53'));
    await daemon.endServices();
    await until((read) => read.resolved === null);
  });

  test('NetworkManager beside it', async () => {
    await daemon.start();
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

  async function fakeResolved(first: string): Promise<{ setServer(ip: string): void }> {
    const bus = daemon.connect();
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
    const bus = daemon.connect();
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

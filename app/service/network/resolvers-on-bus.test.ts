/** Against a real dbus-daemon on an address of its own; the owners of the names are fakes. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { busAddon, TestBus, whyNoBus } from './bus-fixture.ts';
import { mergeLinkResolvers, nothingOnBus, type OnBus } from './link-resolvers.ts';
import { type ResolversOnBus, watchResolversOnBus } from './resolvers-on-bus.ts';

const eth0 = [{ index: 2, name: 'eth0' }];

describe('resolvers on the bus', () => {
  let daemon: TestBus;
  let watch: ResolversOnBus;

  beforeEach((context) => {
    if (whyNoBus !== null) context.skip(whyNoBus);
    daemon = new TestBus();
    watch = watchResolversOnBus(busAddon(), {
      address: daemon.address,
      firstRetry: 20,
      longestRetry: 20,
    });
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

  test.each<[string, string, unknown]>([
    ['of another type', 's', 'nonsense'],
    ['with other fields', 'a(is)', [[2, '192.0.2.53']]],
    ['with octets that are no address', 'a(iiayqs)', [[2, 2, [1, 2, 3], 0, '']]],
    ['with more entries than anybody reads', 'ay', Array(300_000).fill(7)],
  ])('servers %s are no servers, and the next ones are read', async (_what, type, value) => {
    await daemon.start();
    const resolved = await fakeResolved('192.0.2.53');
    await until((read) => serversOf(read).includes('192.0.2.53:53'));
    resolved.say(type, value);
    await until((read) => serversOf(read).length === 0);
    resolved.setServer('198.51.100.53');
    await until((read) => serversOf(read).includes('198.51.100.53:53'));
  });

  test('a flood of signals leads to the newest state', async () => {
    await daemon.start();
    const resolved = await fakeResolved('192.0.2.53');
    await until((read) => serversOf(read).includes('192.0.2.53:53'));
    for (let last = 1; last <= 250; last++) resolved.setServer(`198.51.100.${last}`);
    await until((read) => serversOf(read).includes('198.51.100.250:53'));
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

  const serversAt = (ip: string) => [[2, 2, ip.split('.').map(Number), 0, '']];

  async function fakeResolved(first: string): Promise<{
    setServer(ip: string): void;
    say(type: string, value: unknown): void;
  }> {
    const bus = await daemon.connect();
    const path = '/org/freedesktop/resolve1';
    const manager = 'org.freedesktop.resolve1.Manager';
    let said: [string, unknown] = ['a(iiayqs)', serversAt(first)];
    bus.serve(path, manager, {
      DNSEx: () => said,
      Domains: () => ['a(isb)', [[2, 'home.arpa', false]]],
    });
    await bus.own('org.freedesktop.resolve1');
    function say(type: string, value: unknown): void {
      said = [type, value];
      bus.changed(path, manager);
    }
    return { say, setServer: (ip) => say('a(iiayqs)', serversAt(ip)) };
  }

  async function fakeManager(): Promise<void> {
    const bus = await daemon.connect();
    const entry = {
      nameservers: ['as', ['10.8.0.1']],
      domains: ['as', ['~corp.example']],
      interface: ['s', 'tun0'],
      vpn: ['b', true],
    };
    bus.serve(
      '/org/freedesktop/NetworkManager/DnsManager',
      'org.freedesktop.NetworkManager.DnsManager',
      { Configuration: () => ['aa{sv}', [entry]] },
    );
    await bus.own('org.freedesktop.NetworkManager');
  }
});

/** Connections to a real dbus-daemon: requests, and each way in which there is no answer. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type BusConnection, type BusSignal, joinBus, noSignals } from './bus-connection.ts';
import { busAddon, TestBus, whyNoBus } from './service/network/bus-fixture.ts';
import { askNetworkManager, noManager } from './service/portal/network-manager.ts';
import { type AskBus, askSystemBus, isOnBus } from './service/system-dns/system-bus.ts';

const name = 'org.example.Peer';
const path = '/org/example/Peer';
const soon = 300;
const patient = 60_000;

describe('a connection to a bus', () => {
  let daemon: TestBus;
  const opened: BusConnection[] = [];

  beforeEach((context) => {
    if (whyNoBus !== null) context.skip(whyNoBus);
    daemon = new TestBus();
  });

  afterEach(async () => {
    for (const connection of opened.splice(0)) connection.close();
    await daemon?.remove();
  });

  test('a method is called with arguments of each type and answers with its own', async () => {
    await daemon.start();
    const peer = await daemon.connect();
    const asked: unknown[] = [];
    peer.method(path, name, 'Mirror', (body) => {
      asked.push(...body);
      return [
        'ayv',
        [
          [1, 2, 255],
          ['a(sb)', [['a', true]]],
        ],
      ];
    });
    await peer.own(name);
    const bus = await joined();
    const call = { destination: name, path, interface: name, member: 'Mirror' };
    const body = [7, 'text', ['a', 'b'], { hint: ['y', 2] }];
    expect(await bus.call({ ...call, signature: 'usasa{sv}', body }, patient)).toEqual([
      [1, 2, 255],
      [['a', true]],
    ]);
    expect(asked).toEqual([7, 'text', ['a', 'b'], { hint: 2 }]);
    await expect(bus.call({ ...call, signature: 'u', body: ['7'] }, patient)).rejects.toThrow(
      'no value',
    );
  });

  test('a refusal, nobody of the name, a path that is none, and no member of the name', async () => {
    await daemon.start();
    const peer = await daemon.connect();
    await peer.own(name);
    const bus = await joined();
    const call = { destination: name, path, interface: name, member: 'Unknown' };
    await expect(bus.call(call, patient)).rejects.toThrow('refused by a test');
    await expect(bus.call({ ...call, destination: 'org.example.Nobody' }, patient)).rejects.toThrow(
      'NameHasNoOwner',
    );
    await expect(bus.call({ ...call, path: 'no path' }, patient)).rejects.toThrow();
    await expect(bus.call({ ...call, member: 'no member' }, patient)).rejects.toThrow();
  });

  test('an answer that is too large is not read, and the connection goes on', async () => {
    await daemon.start();
    const peer = await daemon.connect();
    peer.method(path, name, 'Huge', () => ['ay', [Array(300_000).fill(1)]]);
    peer.method(path, name, 'Small', () => ['s', ['small']]);
    await peer.own(name);
    const bus = await joined();
    const call = { destination: name, path, interface: name };
    await expect(bus.call({ ...call, member: 'Huge' }, patient)).rejects.toThrow('too many');
    expect(await bus.call({ ...call, member: 'Small' }, patient)).toEqual(['small']);
  });

  test('signals come in their order, and at last that the bus is gone', async () => {
    await daemon.start();
    const peer = await daemon.connect();
    const heard: BusSignal[] = [];
    const gone = Promise.withResolvers<void>();
    const all = Promise.withResolvers<void>();
    opened.push(
      await joinBus(busAddon(), daemon.address, patient, {
        rules: [`type='signal',interface='${name}'`],
        onSignal(signal) {
          if (signal.interface === name) heard.push(signal);
          if (heard.length === 2) all.resolve();
        },
        onGone: gone.resolve,
      }),
    );
    peer.signal(path, name, 'Told', 'us', [1, 'one']);
    peer.signal(path, name, 'Told', 'us', [2, 'two']);
    await all.promise;
    expect(heard.map(({ member, body }) => [member, ...body])).toEqual([
      ['Told', 1, 'one'],
      ['Told', 2, 'two'],
    ]);
    await daemon.stop();
    await gone.promise;
  });

  test('no bus, an address that is none, and a rule that is none', async () => {
    const nowhere = `unix:path=${join(daemon.folder, 'nothing')}`;
    for (const address of [nowhere, 'nonsense', '', ';'])
      await expect(joinBus(busAddon(), address, patient, noSignals)).rejects.toThrow();
    await daemon.start();
    const rules = { ...noSignals, rules: ['nonsense'] };
    await expect(joinBus(busAddon(), daemon.address, patient, rules)).rejects.toThrow();
    opened.push(await joinBus(busAddon(), `${nowhere};${daemon.address}`, patient, noSignals));
  });

  test('somebody who accepts connections and says nothing is waited for no longer than told', async () => {
    const silent = createServer().listen(join(daemon.folder, 'silent'));
    const address = `unix:path=${join(daemon.folder, 'silent')}`;
    await expect(joinBus(busAddon(), address, soon, noSignals)).rejects.toThrow('no answer within');
    expect(await askNetworkManager(busAddon(), 'eth0', address)).toEqual(noManager);
    silent.close();
  });

  test('a bus that hangs, or a peer that does, is waited for no longer than told', async () => {
    await daemon.start();
    const peer = await daemon.connect();
    peer.method(path, name, 'Never', () => null);
    await peer.own(name);
    const ask = askSystemBus(busAddon(), daemon.address);
    const bus = await joined();
    const call = { destination: name, path, interface: name, member: 'Any' };
    const never = { ...call, member: 'Never' };
    await expect(bus.call(never, soon)).rejects.toThrow('no answer within');
    expect(await ask(never, soon)).toBeNull();
    daemon.hang();
    await expect(bus.call(call, soon)).rejects.toThrow('no answer within');
    await expect(joinBus(busAddon(), daemon.address, soon, noSignals)).rejects.toThrow(
      'no answer within',
    );
    daemon.wake();
    await expect(bus.call(call, patient)).rejects.toThrow('refused by a test');
  });

  test('a bus that dies ends the calls that wait', async () => {
    await daemon.start();
    const bus = await joined();
    daemon.hang();
    const waiting = bus.call({ destination: name, path, interface: name, member: 'Any' }, patient);
    const ended = expect(waiting).rejects.toThrow();
    await daemon.stop();
    await ended;
  });

  test('one query leaves no connection behind', async () => {
    await daemon.start();
    const bus = askSystemBus(busAddon(), daemon.address);
    const ask: AskBus = (question) => bus(question, patient);
    const peer = 'org.freedesktop.DBus';
    const sockets = () =>
      readFileSync('/proc/self/net/unix', 'utf8').split(daemon.address.slice(10)).length;
    const before = sockets();
    for (let round = 0; round < 20; round++)
      expect(await isOnBus(ask, peer, '/org/freedesktop/DBus')).toBe(true);
    expect(await isOnBus(ask, 'org.example.Nobody', '/')).toBe(false);
    await expect.poll(sockets).toBe(before);
  });

  test('NetworkManager tells its verdict, and the address that DHCP gave', async () => {
    await daemon.start();
    const manager = 'org.freedesktop.NetworkManager';
    const root = '/org/freedesktop/NetworkManager';
    const peer = await daemon.connect();
    let connectivity: [string, unknown] = ['u', 2];
    peer.serve(root, manager, { Connectivity: () => connectivity });
    peer.method(root, manager, 'GetDeviceByIpIface', () => ['o', [`${root}/Devices/1`]]);
    peer.serve(`${root}/Devices/1`, `${manager}.Device`, {
      Dhcp4Config: () => ['o', `${root}/DHCP4Config/1`],
      Dhcp6Config: () => ['o', '/'],
    });
    const options = { default_url: ['s', 'https://portal.example/api'], routers: ['as', []] };
    peer.serve(`${root}/DHCP4Config/1`, `${manager}.Dhcp4Config`, {
      Options: () => ['a{sv}', options],
    });
    await peer.own(manager);
    const ask = () => askNetworkManager(busAddon(), 'eth0', daemon.address, patient);
    expect(await ask()).toEqual({ saysPortal: true, apiAddress: 'https://portal.example/api' });
    connectivity = ['s', 'portal'];
    expect((await ask()).saysPortal).toBe(false);
    await peer.close();
    expect(await ask()).toEqual(noManager);
  });

  async function joined(): Promise<BusConnection> {
    const bus = await joinBus(busAddon(), daemon.address, patient, noSignals);
    opened.push(bus);
    return bus;
  }
});

/**
 * What systemd-resolved and NetworkManager say on the system bus, kept current by their signals. No bus, or neither of them
 * on it, is nothing to complain about. Nobody is started by our asking.
 */
import { type FSWatcher, watch } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { createClient, type MessageBus, messageType } from 'dbus-native';
import { nothingOnBus, type OnBus } from './link-resolvers.ts';
import { Listeners } from './listeners.ts';

export interface ResolversOnBus {
  current(): OnBus;
  /** Read again: something that no signal tells may have changed. */
  refresh(): void;
  onChange(listener: (read: OnBus) => void): () => void;
  close(): void;
}

export interface BusOptions {
  address?: string;
  /** where resolved keeps what it was told about each link */
  linkFiles?: string;
  /** milliseconds until the bus is tried again, doubled each time */
  firstRetry?: number;
  longestRetry?: number;
}

const resolved = 'org.freedesktop.resolve1';
const networkManager = 'org.freedesktop.NetworkManager';
const managerDns = '/org/freedesktop/NetworkManager/DnsManager';
const properties = 'org.freedesktop.DBus.Properties';
const noAutoStart = 0x2;
const answerWithin = 5000;

const rules = [
  ...[resolved, networkManager].map(
    (name) =>
      `type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='${name}'`,
  ),
  `type='signal',sender='${resolved}',interface='${properties}',member='PropertiesChanged',path_namespace='/org/freedesktop/resolve1'`,
  `type='signal',sender='${networkManager}',interface='${properties}',member='PropertiesChanged',path='${managerDns}'`,
];

export function watchResolversOnBus({
  address = process.env['DBUS_SYSTEM_BUS_ADDRESS'] ?? 'unix:path=/run/dbus/system_bus_socket',
  linkFiles = '/run/systemd/resolve/netif',
  firstRetry = 1000,
  longestRetry = 60_000,
}: BusOptions = {}): ResolversOnBus {
  const changed = new Listeners<OnBus>();
  let read = nothingOnBus;
  let bus: MessageBus | null = null;
  let retry: NodeJS.Timeout | null = null;
  let nextRetry = firstRetry;
  let closed = false;
  let reading = false;
  let readAgain = false;
  let files: FSWatcher | null = null;
  connect();

  function connect(): void {
    retry = null;
    let client: MessageBus;
    try {
      // "direct": the library's own Hello throws, past every handler, when the bus does not answer it in time.
      client = createClient({ busAddress: address, timeout: answerWithin, direct: true });
    } catch {
      tryLater();
      return;
    }
    bus = client;
    client.connection.on('error', () => lost(client));
    client.connection.on('close', () => lost(client));
    client.connection.on('message', ({ type }) => {
      if (type === messageType.signal && client === bus) refresh();
    });
    listen(client).catch(() => lost(client));
  }

  /** Signals are asked for before the first look, so that no change falls between. */
  async function listen(client: MessageBus): Promise<void> {
    client.name = await client.invokeDbus<string>({ member: 'Hello' });
    await Promise.all(rules.map((rule) => client.addMatch(rule)));
    if (client !== bus) return;
    nextRetry = firstRetry;
    refresh();
  }

  function lost(client: MessageBus): void {
    if (client !== bus) return;
    bus = null;
    client.connection.end();
    tell(nothingOnBus);
    tryLater();
  }

  function tryLater(): void {
    if (closed) return;
    retry = setTimeout(connect, nextRetry).unref();
    nextRetry = Math.min(nextRetry * 2, longestRetry);
  }

  /** resolved signals new servers and not new domains, which VPN clients tell it right after; both change its files. */
  function watchFiles(): void {
    if (files !== null) return;
    try {
      files = watch(linkFiles, { persistent: false }, refresh).on('error', noFiles);
    } catch {
      // It keeps none yet; there is a signal when it does.
    }
  }

  function noFiles(): void {
    files?.close();
    files = null;
  }

  /** One look at a time; what changed meanwhile is looked at once more. */
  function refresh(): void {
    if (bus === null) return;
    watchFiles();
    if (reading) {
      readAgain = true;
      return;
    }
    const client = bus;
    reading = true;
    readAgain = false;
    look(client)
      .then((found) => {
        if (client === bus) tell(found);
      })
      .finally(() => {
        reading = false;
        if (readAgain) refresh();
      });
  }

  function tell(found: OnBus): void {
    if (isDeepStrictEqual(found, read)) return;
    read = found;
    changed.tell(found);
  }

  return {
    current: () => read,
    refresh,
    onChange: (listener) => changed.add(listener),
    close: () => {
      closed = true;
      changed.clear();
      noFiles();
      if (retry !== null) clearTimeout(retry);
      const client = bus;
      bus = null;
      client?.connection.end();
    },
  };
}

async function look(bus: MessageBus): Promise<OnBus> {
  const manager = `${resolved}.Manager`;
  const path = '/org/freedesktop/resolve1';
  const [servers, olderServers, domains, configuration] = await Promise.all([
    property(bus, resolved, path, manager, 'DNSEx'),
    property(bus, resolved, path, manager, 'DNS'),
    property(bus, resolved, path, manager, 'Domains'),
    property(bus, networkManager, managerDns, `${networkManager}.DnsManager`, 'Configuration'),
  ]);
  const given = servers ?? olderServers;
  return {
    resolved: given === null && domains === null ? null : { servers: given, domains },
    networkManager: configuration === null ? null : { configuration },
  };
}

/** Null where nobody answers to that name, or knows no such property. */
async function property(
  bus: MessageBus,
  destination: string,
  path: string,
  iface: string,
  name: string,
): Promise<unknown> {
  try {
    return await bus.invoke({
      destination,
      path,
      interface: properties,
      member: 'Get',
      signature: 'ss',
      body: [iface, name],
      flags: noAutoStart,
    });
  } catch {
    return null;
  }
}

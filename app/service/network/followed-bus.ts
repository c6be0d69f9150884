/** The system bus, for as long as we run: connected to again when it was lost, later and later. Nobody is started by our asking. */
import { createClient, type MessageBus, messageType } from 'dbus-native';

export interface BusOptions {
  address?: string;
  /** milliseconds until the bus is tried again, doubled each time */
  firstRetry?: number;
  longestRetry?: number;
}

interface Follower {
  /** the signals that are asked for, as match rules */
  rules: readonly string[];
  /** Something may have changed: the bus is there again, or a signal came. */
  look(bus: MessageBus): void;
  /** Nobody can be asked any more. */
  lost(): void;
}

export interface FollowedBus {
  /** null: there is none now */
  current(): MessageBus | null;
  close(): void;
}

export const properties = 'org.freedesktop.DBus.Properties';

const noAutoStart = 0x2;
const answerWithin = 5000;

/** The rule of the signal that a service came or went. */
export function comesOrGoes(name: string): string {
  return `type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='${name}'`;
}

export function followSystemBus(
  {
    address = process.env['DBUS_SYSTEM_BUS_ADDRESS'] ?? 'unix:path=/run/dbus/system_bus_socket',
    firstRetry = 1000,
    longestRetry = 60_000,
  }: BusOptions,
  follower: Follower,
): FollowedBus {
  let bus: MessageBus | null = null;
  let retry: NodeJS.Timeout | null = null;
  let nextRetry = firstRetry;
  let closed = false;
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
      if (type === messageType.signal && client === bus) follower.look(client);
    });
    listen(client).catch(() => lost(client));
  }

  /** Signals are asked for before the first look, so that no change falls between. */
  async function listen(client: MessageBus): Promise<void> {
    client.name = await client.invokeDbus<string>({ member: 'Hello' });
    await Promise.all(follower.rules.map((rule) => client.addMatch(rule)));
    if (client !== bus) return;
    nextRetry = firstRetry;
    follower.look(client);
  }

  function lost(client: MessageBus): void {
    if (client !== bus) return;
    bus = null;
    client.connection.end();
    follower.lost();
    tryLater();
  }

  function tryLater(): void {
    if (closed) return;
    retry = setTimeout(connect, nextRetry).unref();
    nextRetry = Math.min(nextRetry * 2, longestRetry);
  }

  return {
    current: () => bus,
    close() {
      closed = true;
      if (retry !== null) clearTimeout(retry);
      const client = bus;
      bus = null;
      client?.connection.end();
    },
  };
}

/** Null where nobody answers to that name, or knows no such property. */
export async function readProperty(
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

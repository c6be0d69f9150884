/** What UPower says on the system bus, kept current by its signals. Nobody is started by our asking. */
import { createClient, type MessageBus, messageType } from 'dbus-native';
import { Listeners } from '../network/listeners.ts';
import type { BusOptions } from '../network/resolvers-on-bus.ts';

export interface UPowerOnBus {
  /** null: nobody tells */
  onBattery(): boolean | null;
  onChange(listener: () => void): () => void;
  close(): void;
}

const upower = 'org.freedesktop.UPower';
const path = '/org/freedesktop/UPower';
const properties = 'org.freedesktop.DBus.Properties';
const noAutoStart = 0x2;
const answerWithin = 5000;

const rules = [
  `type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='${upower}'`,
  `type='signal',sender='${upower}',interface='${properties}',member='PropertiesChanged',path='${path}'`,
];

export function watchUPower({
  address = process.env['DBUS_SYSTEM_BUS_ADDRESS'] ?? 'unix:path=/run/dbus/system_bus_socket',
  firstRetry = 1000,
  longestRetry = 60_000,
}: BusOptions = {}): UPowerOnBus {
  const changed = new Listeners<boolean | null>();
  let known: boolean | null = null;
  let bus: MessageBus | null = null;
  let retry: NodeJS.Timeout | null = null;
  let nextRetry = firstRetry;
  let closed = false;
  /** counts looks: an older one that comes later says nothing */
  let looks = 0;
  connect();

  function connect(): void {
    retry = null;
    let client: MessageBus;
    try {
      client = createClient({ busAddress: address, timeout: answerWithin, direct: true });
    } catch {
      tryLater();
      return;
    }
    bus = client;
    client.connection.on('error', () => lost(client));
    client.connection.on('close', () => lost(client));
    client.connection.on('message', ({ type }) => {
      if (type === messageType.signal && client === bus) look(client);
    });
    listen(client).catch(() => lost(client));
  }

  async function listen(client: MessageBus): Promise<void> {
    client.name = await client.invokeDbus<string>({ member: 'Hello' });
    await Promise.all(rules.map((rule) => client.addMatch(rule)));
    if (client !== bus) return;
    nextRetry = firstRetry;
    look(client);
  }

  function lost(client: MessageBus): void {
    if (client !== bus) return;
    bus = null;
    client.connection.end();
    tell(null);
    tryLater();
  }

  function tryLater(): void {
    if (closed) return;
    retry = setTimeout(connect, nextRetry).unref();
    nextRetry = Math.min(nextRetry * 2, longestRetry);
  }

  function look(client: MessageBus): void {
    const number = ++looks;
    readOnBattery(client).then((found) => {
      if (client === bus && number === looks) tell(found);
    });
  }

  function tell(found: boolean | null): void {
    if (found === known) return;
    known = found;
    changed.tell(found);
  }

  return {
    onBattery: () => known,
    onChange: (listener) => changed.add(listener),
    close: () => {
      closed = true;
      changed.clear();
      if (retry !== null) clearTimeout(retry);
      const client = bus;
      bus = null;
      client?.connection.end();
    },
  };
}

/** Null where nobody answers to that name. */
async function readOnBattery(bus: MessageBus): Promise<boolean | null> {
  try {
    const found: unknown = await bus.invoke({
      destination: upower,
      path,
      interface: properties,
      member: 'Get',
      signature: 'ss',
      body: [upower, 'OnBattery'],
      flags: noAutoStart,
    });
    return typeof found === 'boolean' ? found : null;
  } catch {
    return null;
  }
}

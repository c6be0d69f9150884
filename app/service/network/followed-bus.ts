/**
 * The system bus, for as long as the service runs: after a loss it connects again, after longer and longer pauses. Its calls
 * start no service.
 */
import {
  type BusAddon,
  type BusConnection,
  joinBus,
  systemBusAddress,
} from '../../bus-connection.ts';

export interface BusOptions {
  address?: string;
  /** milliseconds until the next try, doubled each time */
  firstRetry?: number;
  longestRetry?: number;
}

interface Follower {
  /** the wanted signals, as match rules */
  rules: readonly string[];
  /** Something may have changed: the bus is back, or a signal came. */
  look(bus: BusConnection): void;
  /** The bus is gone. */
  lost(): void;
}

export interface FollowedBus {
  /** null: there is none now */
  current(): BusConnection | null;
  close(): void;
}

export const properties = 'org.freedesktop.DBus.Properties';

const answerWithin = 5000;

/** The rule of the signal that a service came or went. */
export function comesOrGoes(name: string): string {
  return `type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',arg0='${name}'`;
}

export function followSystemBus(
  addon: BusAddon,
  { address = systemBusAddress(), firstRetry = 1000, longestRetry = 60_000 }: BusOptions,
  { rules, look, lost }: Follower,
): FollowedBus {
  let bus: BusConnection | null = null;
  let retry: NodeJS.Timeout | null = null;
  let nextRetry = firstRetry;
  let closed = false;
  connect().catch(tryLater);

  /** Signals are subscribed to before the first look, so that no change is missed. */
  async function connect(): Promise<void> {
    retry = null;
    let gone = false;
    const joined = await joinBus(addon, address, answerWithin, {
      rules,
      onSignal: () => {
        if (bus !== null) look(bus);
      },
      onGone: () => {
        gone = true;
        if (bus !== null) leave(bus);
      },
    });
    if (closed) return joined.close();
    if (gone) return leave(joined);
    bus = joined;
    nextRetry = firstRetry;
    look(joined);
  }

  function leave(left: BusConnection): void {
    bus = null;
    left.close();
    lost();
    tryLater();
  }

  function tryLater(): void {
    if (closed) return;
    retry = setTimeout(() => connect().catch(tryLater), nextRetry).unref();
    nextRetry = Math.min(nextRetry * 2, longestRetry);
  }

  return {
    current: () => bus,
    close() {
      closed = true;
      if (retry !== null) clearTimeout(retry);
      bus?.close();
      bus = null;
    },
  };
}

/** Null where no service has that name, or none has the property. */
export async function readProperty(
  bus: BusConnection,
  destination: string,
  path: string,
  iface: string,
  name: string,
): Promise<unknown> {
  const call = { destination, path, interface: properties, member: 'Get' };
  try {
    const read = await bus.call({ ...call, signature: 'ss', body: [iface, name] }, answerWithin);
    return read[0] ?? null;
  } catch {
    return null;
  }
}

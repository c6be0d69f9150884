/** The system bus, for as long as we run: connected to again when it was lost, later and later. Nobody is started by our asking. */
import {
  type BusAddon,
  type BusConnection,
  joinBus,
  systemBusAddress,
} from '../../bus-connection.ts';

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
  look(bus: BusConnection): void;
  /** Nobody can be asked any more. */
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

  /** Signals are asked for before the first look, so that no change falls between. */
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

/** Null where nobody answers to that name, or knows no such property. */
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

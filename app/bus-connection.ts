/**
 * A connection to a D-Bus daemon, by the addon (native/binding/src/bus.rs): for the service, and for the tray's notifications.
 * The peer is not trusted: values are `unknown` until the caller checks them.
 */
import type * as binding from '../native/binding/index.d.ts';

/** What the addon brings to it. */
export type BusAddon = Pick<typeof binding, 'joinBus'>;

export interface BusCall {
  destination: string;
  path: string;
  interface: string;
  member: string;
  /** of the arguments; absent: there are none */
  signature?: string;
  /** the arguments; a variant among them is written as ["its signature", value] */
  body?: unknown[];
  /** whether the bus may start a service of this name; absent: no */
  mayStart?: boolean;
}

export interface BusSignal {
  interface: string;
  member: string;
  /** octets are lists of numbers, a variant is what is in it */
  body: unknown[];
}

export interface BusConnection {
  /** What the method returns. Rejects where no answer comes in time, or an error comes. */
  call(call: BusCall, withinMs: number): Promise<unknown[]>;
  /** No signal is reported from now on. */
  close(): void;
}

export interface BusListener {
  /** the signals that are asked for, as match rules */
  rules: readonly string[];
  onSignal(signal: BusSignal): void;
  onGone(): void;
}

/** Only answers are wanted of it. */
export const noSignals: BusListener = { rules: [], onSignal: () => {}, onGone: () => {} };

export function systemBusAddress(): string {
  return process.env['DBUS_SYSTEM_BUS_ADDRESS'] ?? 'unix:path=/run/dbus/system_bus_socket';
}

/** Rejects where there is no bus, or it does not answer in time. */
export async function joinBus(
  addon: BusAddon,
  address: string,
  withinMs: number,
  { rules, onSignal, onGone }: BusListener,
): Promise<BusConnection> {
  let closed = false;
  const joined = await addon.joinBus(address, [...rules], withinMs, (text) => {
    if (closed) return;
    const signal: BusSignal | null = JSON.parse(text);
    if (signal === null) onGone();
    else onSignal(signal);
  });
  return {
    async call({ body = [], ...call }, within) {
      const answer = await joined.call({ ...call, body: JSON.stringify(body), withinMs: within });
      return JSON.parse(answer);
    },
    close() {
      closed = true;
      joined.close().catch(() => {});
    },
  };
}

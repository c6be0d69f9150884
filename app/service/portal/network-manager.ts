/**
 * What NetworkManager knows of a portal, read once: its own verdict, and the API's address that DHCP gave. The call does not
 * start NetworkManager.
 */
import { z } from 'zod';
import {
  type BusAddon,
  type BusCall,
  type BusConnection,
  joinBus,
  noSignals,
  systemBusAddress,
} from '../../bus-connection.ts';
import { textOfOption } from './api-address.ts';

export interface ManagerView {
  /** NMConnectivityState: 2 is "portal" */
  saysPortal: boolean;
  apiAddress: string | null;
}

export const noManager: ManagerView = { saysPortal: false, apiAddress: null };

const name = 'org.freedesktop.NetworkManager';
const root = '/org/freedesktop/NetworkManager';
const portal = 2;
const answerWithinMs = 800;

/** NetworkManager on a bus, and how long each of its answers may take. */
interface Manager {
  bus: BusConnection;
  withinMs: number;
}

export async function askNetworkManager(
  addon: BusAddon,
  interfaceName: string,
  address = systemBusAddress(),
  withinMs = answerWithinMs,
): Promise<ManagerView> {
  let bus: BusConnection | null = null;
  try {
    bus = await joinBus(addon, address, withinMs, noSignals);
    const manager = { bus, withinMs };
    const [connectivity, apiAddress] = await Promise.all([
      property(manager, root, name, 'Connectivity'),
      apiAddressOf(manager, interfaceName).catch(() => null),
    ]);
    return { saysPortal: connectivity === portal, apiAddress };
  } catch {
    return noManager;
  } finally {
    bus?.close();
  }
}

async function apiAddressOf(manager: Manager, interfaceName: string): Promise<string | null> {
  const device = await ask(manager, root, name, 'GetDeviceByIpIface', 's', [interfaceName]);
  const found = await Promise.all(
    (['Dhcp4Config', 'Dhcp6Config'] as const).map(async (kind) => {
      const path = String(await property(manager, String(device), `${name}.Device`, kind));
      if (path === '/') return null;
      return leasedAddress(await property(manager, path, `${name}.${kind}`, 'Options'));
    }),
  );
  return found.find((text) => text !== null) ?? null;
}

const optionNames = [
  'default_url',
  'captive_portal',
  'v4_captive_portal',
  'private_114',
  'unknown_114',
  'dhcp6_captive_portal',
  'dhcp6_unknown_103',
  'unknown_103',
];

/**
 * Options of a lease, as NetworkManager names them: those of its own client, or those that dhclient told it. "default_url" is
 * DHCP option 114.
 */
export function leasedAddress(options: unknown): string | null {
  const read = z.record(z.string(), z.unknown()).safeParse(Object.fromEntries(entriesOf(options)));
  const values = optionNames.map((option) => read.data?.[option]);
  const found = values.find((value) => typeof value === 'string' && value !== '');
  return typeof found === 'string' ? (textOfOption(found) ?? found) : null;
}

/** a{sv}, as an object or as pairs. */
function entriesOf(options: unknown): [string, unknown][] {
  if (Array.isArray(options))
    return options.flatMap((pair): [string, unknown][] =>
      Array.isArray(pair) && typeof pair[0] === 'string' ? [[pair[0], pair[1]]] : [],
    );
  return typeof options === 'object' && options !== null ? Object.entries(options) : [];
}

async function property(
  manager: Manager,
  path: string,
  iface: string,
  member: string,
): Promise<unknown> {
  return await ask(manager, path, 'org.freedesktop.DBus.Properties', 'Get', 'ss', [iface, member]);
}

async function ask(
  { bus, withinMs }: Manager,
  path: string,
  iface: string,
  member: string,
  signature: string,
  body: unknown[],
): Promise<unknown> {
  const call: BusCall = { destination: name, path, interface: iface, member, signature, body };
  return (await bus.call(call, withinMs))[0];
}

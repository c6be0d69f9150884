/** What NetworkManager knows of a portal, asked once: its own verdict, and the API's address that DHCP gave. Nobody is started by it. */
import { createClient, type MessageBus } from 'dbus-native';
import { z } from 'zod';
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
const noAutoStart = 0x2;
const answerWithin = 800;

export async function askNetworkManager(
  interfaceName: string,
  address = process.env['DBUS_SYSTEM_BUS_ADDRESS'] ?? 'unix:path=/run/dbus/system_bus_socket',
): Promise<ManagerView> {
  let bus: MessageBus | null = null;
  try {
    bus = createClient({ busAddress: address, timeout: answerWithin, direct: true });
    const broken = new Promise<never>((_resolve, reject) => {
      bus?.connection.on('error', reject);
      bus?.connection.on('close', () => reject(new Error('the bus went away')));
    });
    return await Promise.race([ask(bus, interfaceName), broken]);
  } catch {
    return noManager;
  } finally {
    bus?.connection.end();
  }
}

async function ask(bus: MessageBus, interfaceName: string): Promise<ManagerView> {
  bus.name = await bus.invokeDbus<string>({ member: 'Hello' });
  const [connectivity, apiAddress] = await Promise.all([
    property(bus, root, name, 'Connectivity'),
    apiAddressOf(bus, interfaceName).catch(() => null),
  ]);
  return { saysPortal: connectivity === portal, apiAddress };
}

async function apiAddressOf(bus: MessageBus, interfaceName: string): Promise<string | null> {
  const device = await bus.invoke({
    ...quietly(root, name, 'GetDeviceByIpIface'),
    signature: 's',
    body: [interfaceName],
  });
  const found = await Promise.all(
    (['Dhcp4Config', 'Dhcp6Config'] as const).map(async (kind) => {
      const path = String(await property(bus, String(device), `${name}.Device`, kind));
      if (path === '/') return null;
      return leasedAddress(await property(bus, path, `${name}.${kind}`, 'Options'));
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
 * Options of a lease, as NetworkManager names them: of its own client's, and, where dhclient is its client, of what that told.
 * "default_url" is DHCP option 114.
 */
export function leasedAddress(options: unknown): string | null {
  const read = z.record(z.string(), z.unknown()).safeParse(Object.fromEntries(entriesOf(options)));
  const values = optionNames.map((option) => read.data?.[option]);
  const found = values.find((value) => typeof value === 'string' && value !== '');
  return typeof found === 'string' ? (textOfOption(found) ?? found) : null;
}

/** a{sv} arrives as pairs, or as an object already. */
function entriesOf(options: unknown): [string, unknown][] {
  if (Array.isArray(options))
    return options.flatMap((pair): [string, unknown][] =>
      Array.isArray(pair) && typeof pair[0] === 'string' ? [[pair[0], pair[1]]] : [],
    );
  return typeof options === 'object' && options !== null ? Object.entries(options) : [];
}

async function property(
  bus: MessageBus,
  path: string,
  iface: string,
  member: string,
): Promise<unknown> {
  return await bus.invoke({
    ...quietly(path, 'org.freedesktop.DBus.Properties', 'Get'),
    signature: 'ss',
    body: [iface, member],
  });
}

function quietly(path: string, iface: string, member: string) {
  return { destination: name, path, interface: iface, member, flags: noAutoStart };
}

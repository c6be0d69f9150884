/**
 * NetworkManager where it writes resolv.conf itself: the connection in force on each link is told our address, its stored
 * profile is not. It has no ports.
 */
import { z } from 'zod';
import type { ResolversOnBus } from '../network/resolvers-on-bus.ts';
import type { Helper } from './helper.ts';
import { type LinkRef, type Mechanism, noLink, type Sighting } from './mechanism.ts';
import { followResolvConf } from './resolv-conf-file.ts';
import { type AskBus, askSystemBus } from './system-bus.ts';
import { throughHelper } from './through-helper.ts';

const service = 'org.freedesktop.NetworkManager';
const dnsManager = {
  destination: service,
  path: '/org/freedesktop/NetworkManager/DnsManager',
  interface: 'org.freedesktop.DBus.Properties',
  member: 'Get',
  signature: 'ss',
};

export function networkManagerMechanism(
  helper: Helper,
  bus: Pick<ResolversOnBus, 'onChange'>,
  ask: AskBus = askSystemBus,
): Mechanism {
  return {
    name: 'network-manager',
    perLink: true,
    anyPort: false,
    look: () => sight(ask),
    ...throughHelper(helper, 'network-manager', (link: LinkRef | null, servers) => ({
      verb: 'take-network-manager',
      link: link ?? noLink,
      servers,
    })),
    follow(listener) {
      // The file is written before the bus is told.
      const ends = [bus.onChange(listener), followResolvConf(listener)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

async function sight(ask: AskBus): Promise<Sighting> {
  const property = async (name: string) =>
    z
      .string()
      .nullable()
      .catch(null)
      .parse(await ask({ ...dnsManager, body: [`${service}.DnsManager`, name] }));
  const [mode, writesBy] = [await property('Mode'), await property('RcManager')];
  if (mode === null) return { usable: false, why: 'NetworkManager is not on the system bus.' };
  if (mode !== 'default' || writesBy === 'unmanaged')
    return {
      usable: false,
      why: `NetworkManager runs, but leaves resolv.conf to others (dns=${mode}, rc-manager=${writesBy}).`,
    };
  return { usable: true, why: `NetworkManager writes resolv.conf (rc-manager=${writesBy}).` };
}

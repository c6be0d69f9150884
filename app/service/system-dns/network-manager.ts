/**
 * NetworkManager where it writes resolv.conf itself: it is told to leave the file alone, and the file names us. It goes on
 * reporting on the bus what it knows of each network.
 */
import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { ResolversOnBus } from '../network/resolvers-on-bus.ts';
import type { Helper } from './helper.ts';
import type { Mechanism, Observation } from './mechanism.ts';
import { followResolvConf, resolvConfLeadsAway } from './resolv-conf-file.ts';
import type { AskBus } from './system-bus.ts';
import { searching, throughHelper } from './through-helper.ts';

const service = 'org.freedesktop.NetworkManager';
const dnsManager = {
  destination: service,
  path: '/org/freedesktop/NetworkManager/DnsManager',
  interface: 'org.freedesktop.DBus.Properties',
  member: 'Get',
  signature: 'ss',
};

/** The files by which the helper tells it so. */
const muteFiles = ['/run', '/etc'].map((folder) => `${folder}/NetworkManager/conf.d/zz-sotto.conf`);

export function networkManagerMechanism(
  helper: Helper,
  bus: Pick<ResolversOnBus, 'onChange'>,
  ask: AskBus,
  exists: (file: string) => boolean = existsSync,
): Mechanism {
  return {
    name: 'network-manager',
    perLink: false,
    anyPort: false,
    look: () => sight(ask, exists),
    ...throughHelper(helper, 'network-manager', (target, servers) => ({
      verb: 'take-network-manager',
      servers,
      ...searching(target),
    })),
    leadsAway: resolvConfLeadsAway,
    follow(listener) {
      const ends = [bus.onChange(listener), followResolvConf(listener)];
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

async function sight(ask: AskBus, exists: (file: string) => boolean): Promise<Observation> {
  if (muteFiles.some(exists))
    return { usable: true, why: 'NetworkManager leaves resolv.conf to Sotto.' };
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

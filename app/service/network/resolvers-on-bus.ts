/**
 * The state of systemd-resolved and NetworkManager on the system bus, kept current by their signals. Where there is no bus, or
 * neither service, that is no error.
 */
import { type FSWatcher, watch } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import type { BusAddon, BusConnection } from '../../bus-connection.ts';
import { Listeners } from '../base/listeners.ts';
import {
  type BusOptions,
  comesOrGoes,
  followSystemBus,
  properties,
  readProperty,
} from './followed-bus.ts';
import { nothingOnBus, type OnBus } from './link-resolvers.ts';

export interface ResolversOnBus {
  current(): OnBus;
  /** Reads again, because something may have changed for which there is no signal. */
  refresh(): void;
  onChange(listener: (read: OnBus) => void): () => void;
  close(): void;
}

interface WatchOptions extends BusOptions {
  /** where resolved keeps its settings of each link */
  linkFiles?: string;
}

const resolved = 'org.freedesktop.resolve1';
const networkManager = 'org.freedesktop.NetworkManager';
const managerDns = '/org/freedesktop/NetworkManager/DnsManager';

const rules = [
  ...[resolved, networkManager].map(comesOrGoes),
  `type='signal',sender='${resolved}',interface='${properties}',member='PropertiesChanged',path_namespace='/org/freedesktop/resolve1'`,
  `type='signal',sender='${networkManager}',interface='${properties}',member='PropertiesChanged',path='${managerDns}'`,
];

export function watchResolversOnBus(
  addon: BusAddon,
  { linkFiles = '/run/systemd/resolve/netif', ...options }: WatchOptions = {},
): ResolversOnBus {
  const changed = new Listeners<OnBus>();
  let read = nothingOnBus;
  let reading = false;
  let readAgain = false;
  let files: FSWatcher | null = null;
  const bus = followSystemBus(addon, options, {
    rules,
    look: refresh,
    lost: () => tell(nothingOnBus),
  });

  /** resolved signals new servers but not new domains, which VPN clients set right afterwards; both change its files. */
  function watchFiles(): void {
    if (files !== null) return;
    try {
      files = watch(linkFiles, { persistent: false }, refresh).on('error', noFiles);
    } catch {
      // There is no folder yet; a signal comes when resolved makes it.
    }
  }

  function noFiles(): void {
    files?.close();
    files = null;
  }

  /** One look at a time; if something changes meanwhile, another look follows. */
  function refresh(): void {
    const client = bus.current();
    if (client === null) return;
    watchFiles();
    if (reading) {
      readAgain = true;
      return;
    }
    reading = true;
    readAgain = false;
    look(client)
      .then((found) => {
        if (client === bus.current()) tell(found);
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
      changed.clear();
      noFiles();
      bus.close();
    },
  };
}

async function look(bus: BusConnection): Promise<OnBus> {
  const manager = `${resolved}.Manager`;
  const path = '/org/freedesktop/resolve1';
  const [servers, olderServers, domains, configuration] = await Promise.all([
    readProperty(bus, resolved, path, manager, 'DNSEx'),
    readProperty(bus, resolved, path, manager, 'DNS'),
    readProperty(bus, resolved, path, manager, 'Domains'),
    readProperty(bus, networkManager, managerDns, `${networkManager}.DnsManager`, 'Configuration'),
  ]);
  const given = servers ?? olderServers;
  return {
    resolved: given === null && domains === null ? null : { servers: given, domains },
    networkManager: configuration === null ? null : { configuration },
  };
}

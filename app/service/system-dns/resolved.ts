/**
 * systemd-resolved: each link is told our address, port included, and that every name belongs to it. It is in charge where it
 * is on the bus and programs reach it: through its stub in resolv.conf, or through nss-resolve.
 */
import { isDeepStrictEqual } from 'node:util';
import { formatSocketAddress } from '../../contract/dns/socket-address.ts';
import { mergeLinkResolvers, type OnBus } from '../network/link-resolvers.ts';
import type { ResolversOnBus } from '../network/resolvers-on-bus.ts';
import { isResolvedStub, nameservers, readText } from '../network/system-resolvers.ts';
import type { Helper } from './helper.ts';
import { type Holding, type Mechanism, noLink, type Observation } from './mechanism.ts';
import { type AskBus, isOnBus } from './system-bus.ts';
import { searching, throughHelper } from './through-helper.ts';

/** Only its signals are used; its state is read anew. */
type Bus = Pick<ResolversOnBus, 'current' | 'onChange'>;
type Read = (file: string) => string | null;

export function resolvedMechanism(
  helper: Helper,
  bus: Bus,
  ask: AskBus,
  read: Read = readText,
): Mechanism {
  return {
    name: 'resolved',
    perLink: true,
    anyPort: true,
    look: async () => {
      const running = await isOnBus(ask, 'org.freedesktop.resolve1', '/org/freedesktop/resolve1');
      return sightResolved(running, read);
    },
    ...throughHelper(helper, 'resolved', (target, servers) => ({
      verb: 'take-link',
      link: target.link ?? noLink,
      servers,
      ...searching(target),
    })),
    leadsAway: (held) => leadsAway(bus.current(), held),
    follow(listener) {
      let before = bus.current().resolved;
      return bus.onChange(({ resolved }) => {
        if (isDeepStrictEqual(resolved, before)) return;
        before = resolved;
        listener();
      });
    },
  };
}

/**
 * systemd-resolved attributes our own servers to the loopback link, so a server at a link that is held belongs to another
 * program.
 */
function leadsAway({ resolved }: OnBus, held: readonly Holding[]): boolean {
  const links = held.flatMap(({ link }) => link ?? []);
  const ours = new Set(
    held.flatMap(({ servers }) =>
      servers.map(({ address, port }) => formatSocketAddress(address, port)),
    ),
  );
  return mergeLinkResolvers({ resolved, networkManager: null }, links).some(
    ({ interface: name, servers }) => name !== null && servers.some((one) => !ours.has(one)),
  );
}

/** The bus comes first: what resolv.conf says may be left from an earlier day. */
function sightResolved(running: boolean, read: Read): Observation {
  if (!running) return { usable: false, why: 'systemd-resolved is not on the system bus.' };
  if (nameservers(read('/etc/resolv.conf')).some(isResolvedStub))
    return { usable: true, why: 'systemd-resolved runs, and /etc/resolv.conf leads to it.' };
  if (/^hosts:.*\bresolve\b/m.test(read('/etc/nsswitch.conf') ?? ''))
    return { usable: true, why: 'systemd-resolved runs, and /etc/nsswitch.conf leads to it.' };
  return { usable: false, why: 'systemd-resolved runs, but nothing leads programs to it.' };
}

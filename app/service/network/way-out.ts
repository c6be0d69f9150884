/** Whether a route leads to an address from here: a default route, a link with its prefix, or this machine itself. Pure. */
import { canonicalIp, isLoopback, isUnspecified } from './ip-address.ts';
import type { NetworkSnapshot } from './network-snapshot.ts';
import { prefixHolds } from './prefix.ts';

/** Routes to single prefixes are not in a snapshot: "no" means that no known route leads there. */
export function leadsTo({ interfaces, defaultRoutes }: NetworkSnapshot, address: string): boolean {
  const [ip = '', zone] = canonicalIp(address).split('%');
  if (isLoopback(ip) || isUnspecified(ip)) return true;
  const running = interfaces.filter((link) => link.running);
  if (zone !== undefined)
    return running.some(({ name, index }) => zone === name || zone === `${index}`);
  return (
    defaultRoutes.some(({ interfaceIndex }) =>
      running.some(({ index, kind }) => index === interfaceIndex && kind !== 'loopback'),
    ) ||
    running.some(({ addresses }) =>
      addresses.some((own) => prefixHolds(own.ip, own.prefixLength, ip)),
    ) ||
    interfaces.some(({ addresses }) => addresses.some((own) => canonicalIp(own.ip) === ip))
  );
}

/** The entries of a profile as they hold on the network where the machine is. Pure. */
import { isIP } from 'node:net';
import type { BypassRule } from '../../../contract/settings/bypass-rule.ts';
import type { NetworkMatch } from '../../../contract/settings/network-match.ts';
import { once } from '../../base/once.ts';
import type { Here } from '../../network/current-network.ts';
import { prefixHolds } from '../../network/prefix.ts';
import type { PolicyEntry } from '../../settings/policy-file.ts';
import type { HeldNetwork } from './decide-networks.ts';

export type Fit = 'no' | 'unconfirmed' | 'yes';

/**
 * What looks like a network can be made up by whoever runs another one. What makes things stricter holds where it looks like it;
 * what takes protection away waits until it is confirmed as well.
 */
export function holdingHere(
  entries: readonly PolicyEntry[],
  networks: readonly HeldNetwork[],
  here: Here,
): PolicyEntry[] {
  const holding = new Map(entries.map((entry) => [entry.key, entry]));
  const said = new Set<string>();
  for (const network of networks) {
    const fit = fits(network.match, here);
    if (fit === 'no') continue;
    for (const entry of network.entries) {
      const waits = fit === 'unconfirmed' && network.loosening.includes(entry.key);
      if (waits || said.has(entry.key)) continue;
      said.add(entry.key);
      holding.set(entry.key, boundTo(here, entry));
    }
  }
  return [...holding.values()];
}

/** A rule that sends names elsewhere ends with the network, in the engine, before any part of the service has noticed. */
function boundTo({ id }: Here, entry: PolicyEntry): PolicyEntry {
  if (entry.key !== 'bypass') return entry;
  return { ...entry, value: boundRules(entry.value as readonly BypassRule[])(id) };
}

/** The same rules for the same network, so that what follows from them need not be computed anew. */
const boundRules = once((rules: readonly BypassRule[]) => {
  let last: { id: string; bound: BypassRule[] } | null = null;
  return (id: string) => {
    if (last?.id === id) return last.bound;
    const here = { network: [id] };
    const bound = rules.map(({ when, ...rule }) => ({
      ...rule,
      when: when === undefined ? here : { ...here, ...when },
    }));
    last = { id, bound };
    return bound;
  };
});

export function fits(
  { gatewayMac, prefix, domain }: NetworkMatch,
  { hints, confirmed }: Here,
): Fit {
  const agrees =
    (gatewayMac === undefined || gatewayMac === hints.gatewayMac?.toLowerCase()) &&
    (prefix === undefined || isWithin(hints.prefix, prefix)) &&
    (domain === undefined || isBelow(hints.domain, domain));
  if (!agrees) return 'no';
  return confirmed ? 'yes' : 'unconfirmed';
}

function isWithin(inner: string | null, outer: string): boolean {
  if (inner === null) return false;
  const [[ip, length], [ownIp, ownLength]] = [partsOf(outer), partsOf(inner)];
  return isIP(ownIp) !== 0 && ownLength >= length && prefixHolds(ip, length, ownIp);
}

function partsOf(prefix: string): [ip: string, length: number] {
  const [ip = '', length = ''] = prefix.split('/');
  return [ip, Number(length)];
}

function isBelow(name: string | null, suffix: string): boolean {
  const plain = (text: string) => `.${text.toLowerCase().replace(/\.$/, '')}`;
  return name !== null && plain(name).endsWith(plain(suffix));
}

/** Where a login may lead: which ports, and which addresses of a name. Pure. */
import { BlockList, isIP } from 'node:net';
import { canonicalIp } from '../network/ip-address.ts';
import { prefixHolds } from '../network/prefix.ts';
import { hostOf } from './evidence.ts';
import type { Place } from './place.ts';

export interface Whereabouts {
  place: Pick<Place, 'gateways' | 'own' | 'elsewhere'>;
  /** where the login begins: its host and port are the portal's own */
  url: string;
}

/** Special-purpose addresses (RFC 6890 and its registries), with what embeds an IPv4 address in an IPv6 one. */
const special = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '224.0.0.0/3',
  '::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/32',
  '2002::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]);
/** Forbidden in every case. */
const ourselves = blockList(['0.0.0.0/8', '127.0.0.0/8', '224.0.0.0/3', '::/127', 'ff00::/8']);
const nat64 = blockList(['64:ff9b::/96']);

/** Ports of DNS: no page is there, whatever a portal says. */
const portsOfNames = [53, 853, 5353];

/** Web pages, and what the portal's own address names. */
export function isOpenPort(host: string, port: number, { url, place }: Whereabouts): boolean {
  if (port === 80 || port === 443) return true;
  if (portsOfNames.includes(port)) return false;
  const isPortals = host === hostOf(url) || place.gateways.includes(host);
  return isPortals && String(port) === new URL(url).port;
}

/** `host`: the host that the login wants, a name or the address itself; `ip`: the one of its addresses to connect to. */
export function isOpenAddress(host: string, ip: string, { place, url }: Whereabouts): boolean {
  const address = embedded(canonicalIp(ip));
  if (holds(ourselves, address) || place.own.includes(address)) return false;
  if (place.gateways.includes(address)) return true;
  if (!holds(special, address)) return true;
  if (place.elsewhere.some((other) => prefixHolds(other.ip, other.prefixLength, address)))
    return false;
  return host === hostOf(url);
}

/** The IPv4 address within NAT64's well-known prefix (RFC 6052). */
function embedded(ip: string): string {
  if (!holds(nat64, ip)) return ip;
  const [high = '0', low = '0'] = ip.replace('64:ff9b::', '').split(':').slice(-2);
  const words = ip === '64:ff9b::' ? ['0', '0'] : ip.endsWith('::') ? [high, '0'] : [high, low];
  const [first, second] = /^64:ff9b::[0-9a-f]+$/.test(ip) ? ['0', words[0]] : words;
  return canonicalIp(`::ffff:${first}:${second}`);
}

function holds(list: BlockList, ip: string): boolean {
  const family = isIP(ip);
  return family !== 0 && list.check(ip, family === 6 ? 'ipv6' : 'ipv4');
}

function blockList(prefixes: readonly string[]): BlockList {
  const list = new BlockList();
  for (const prefix of prefixes) {
    const [ip = '', length] = prefix.split('/');
    list.addSubnet(ip, Number(length), isIP(ip) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}

/**
 * A router advertisement with a prefix, a resolver and a search domain (RFC 4861, RFC 8106), sent to everybody in the network.
 */
import { locate } from '../rig/available.ts';
import type { LocalNetwork } from './local-network.ts';

const lifetimeSeconds = 600;
const hopLimit = 64;
const onLink = 0x80;
const autonomous = 0x40;

export async function advertise(
  network: LocalNetwork,
  resolver: string,
  domain: string,
): Promise<void> {
  const message = routerAdvertisement(resolver, domain);
  const octets = [...message].map((octet) => `\\${octet.toString(8).padStart(3, '0')}`).join('');
  // A socket of this kind makes the checksum itself; receivers accept an advertisement only with hop limit 255 (level 41, option
  // 18).
  const socket = 'IP6-SENDTO:[ff02::1%lan]:58,setsockopt-int=41:18:255';
  const send = `printf "$1" | ${locate('socat')} -u STDIN '${socket}'`;
  const { code, stderr } = await network.namespace.run('/bin/sh', ['-c', send, 'sh', octets]);
  if (code !== 0) throw new Error(`no router advertisement was sent: ${stderr}`);
}

function routerAdvertisement(resolver: string, domain: string): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt8(134);
  head.writeUInt8(hopLimit, 4);
  head.writeUInt16BE(lifetimeSeconds, 6);
  const labels = domain
    .split('.')
    .map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([
    head,
    prefixOption(resolver),
    option(25, octetsOf(resolver)),
    option(31, Buffer.concat([...labels, Buffer.from([0])])),
  ]);
}

/**
 * Receivers configure addresses in the network of the resolver (RFC 4861 section 4.6.2). NetworkManager reads another search
 * domain only in an advertisement that also changes an address or a route; here it changes the lifetime of an address.
 */
function prefixOption(resolver: string): Buffer {
  const whole = Buffer.alloc(32);
  whole.writeUInt8(3);
  whole.writeUInt8(4, 1);
  whole.writeUInt8(64, 2);
  whole.writeUInt8(onLink | autonomous, 3);
  whole.writeUInt32BE(lifetimeSeconds, 4);
  whole.writeUInt32BE(lifetimeSeconds, 8);
  octetsOf(resolver).copy(whole, 16, 0, 8);
  return whole;
}

/** Both options begin alike: type, length in units of eight octets, two reserved octets, lifetime. */
function option(kind: number, value: Buffer): Buffer {
  const units = 1 + Math.ceil(value.length / 8);
  const whole = Buffer.alloc(units * 8);
  whole.writeUInt8(kind);
  whole.writeUInt8(units, 1);
  whole.writeUInt32BE(lifetimeSeconds, 4);
  value.copy(whole, 8);
  return whole;
}

/** The octets of an address with at most one "::". */
function octetsOf(address: string): Buffer {
  const [front = '', back = ''] = address.split('::');
  const groups = (text: string) => text.split(':').filter(Boolean);
  const gap = 8 - groups(front).length - groups(back).length;
  const all = [...groups(front), ...Array<string>(gap).fill('0'), ...groups(back)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

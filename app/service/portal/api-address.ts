/**
 * The address of the network's API (RFC 8910: DHCP option 114, DHCPv6 103, RA 37), as the program that configures the link
 * wrote it down: systemd-networkd in its state of the link, dhclient in its leases. (NetworkManager: `network-manager.ts`.)
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../network/system-resolvers.ts';

export interface LinkHere {
  interface: string;
  index: number;
}

const networkdLinks = '/run/systemd/netif/links';
const leaseFolders = ['/var/lib/dhcp', '/var/lib/dhclient', '/run', '/var/lib/NetworkManager'];

/** The address as it was written; null: none was. */
export function writtenApiAddress({ interface: name, index }: LinkHere): string | null {
  const ofNetworkd = networkdAddress(readText(join(networkdLinks, String(index))) ?? '');
  if (ofNetworkd !== null) return ofNetworkd;
  const leases = leaseFolders.flatMap(leaseFiles).map((file) => readText(file) ?? '');
  return leases.map((text) => dhclientAddress(text, name)).find((found) => found !== null) ?? null;
}

/** sd_network_link_get_captive_portal(3) reads the same line. */
export function networkdAddress(text: string): string | null {
  return /^CAPTIVE_PORTAL=(.+)$/m.exec(text)?.[1]?.trim() ?? null;
}

/**
 * dhclient.leases(5): the last lease of the interface counts. The option has a name where dhclient was told one, else a
 * number, as text or as octets.
 */
export function dhclientAddress(text: string, interfaceName: string): string | null {
  const leases = [...text.matchAll(/^lease6? \{\n([\s\S]*?)^\}/gm)].map(([, body = '']) => body);
  const last = leases.findLast((body) => body.includes(`interface "${interfaceName}";`));
  const option =
    /^\s*option (?:default-url|captive-portal|v4-captive-portal|dhcp6\.captive-portal|unknown-114|dhcp6\.unknown-103) (.+);$/m;
  return textOfOption(option.exec(last ?? '')?.[1] ?? '');
}

/** dhclient writes an option of unknown type as text in quotes, or octet by octet. Null: neither. */
export function textOfOption(value: string): string | null {
  const quoted = /^"(.*)"$/.exec(value)?.[1];
  if (quoted !== undefined) return quoted;
  const octets = value.split(':');
  if (!octets.every((octet) => /^[0-9a-f]{1,2}$/i.test(octet))) return null;
  const text = octets.map((octet) => Number.parseInt(octet, 16));
  // RFC 2132, section 2: a NUL at the end is deleted.
  return utf8(text.at(-1) === 0 ? text.slice(0, -1) : text);
}

function utf8(octets: readonly number[]): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(octets),
    );
  } catch {
    return null;
  }
}

function leaseFiles(folder: string): string[] {
  try {
    const files = readdirSync(folder).filter((file) => /^dhclient.*\.leases?$/.test(file));
    return files.map((file) => join(folder, file));
  } catch {
    return [];
  }
}

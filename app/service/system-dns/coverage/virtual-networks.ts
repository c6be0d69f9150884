/**
 * Networks of virtual machines and containers that libvirt and LXC make. Both run a dnsmasq on this machine, which asks the system's
 * resolver and so arrives here, unless a file names other servers: libvirt's `<forwarder addr=…>`
 * (https://libvirt.org/formatnetwork.html), LXC's LXC_DHCP_CONFILE, which is a configuration of dnsmasq (its `server` and `dhcp-option`).
 */
import { say } from '../../../contract/sentences/sentence.ts';
import type { Finding } from '../../../contract/status/finding.ts';
import { warn } from '../../doctor/finding.ts';
import type { Files } from './read-files.ts';

const libvirtNetworks = '/etc/libvirt/qemu/networks';
const lxcNet = '/etc/default/lxc-net';

export function findVirtualNetworksPast(files: Files): Finding[] {
  const libvirt = files
    .list(libvirtNetworks)
    .filter((file) => file.endsWith('.xml'))
    .map((file) => finding('libvirt', forwarders(files.read(file) ?? ''), file));
  const dnsmasq = /^\s*LXC_DHCP_CONFILE=["']?([^"'\s]+)/m.exec(files.read(lxcNet) ?? '')?.[1];
  const lxc =
    dnsmasq === undefined
      ? []
      : [finding('LXC', serversOfDnsmasq(files.read(dnsmasq) ?? ''), dnsmasq)];
  return [...libvirt, ...lxc].flat();
}

function finding(engine: string, servers: readonly string[], file: string): Finding[] {
  const past = servers.filter((server) => !server.startsWith('127.') && server !== '::1');
  return past.length === 0
    ? []
    : [
        warn(
          'coverage',
          say('virtual-network-leads-past', { engine, servers: past.join(', '), file }),
          say('take-servers-out', { file }),
          engine,
        ),
      ];
}

/** Those for all names; one with a domain is a bypass rule of that network. */
function forwarders(xml: string): string[] {
  return [...xml.matchAll(/<forwarder\b([^>]*)>/g)].flatMap(([, words = '']) =>
    /\bdomain=/.test(words) ? [] : (/\baddr=['"]([^'"]+)['"]/.exec(words)?.[1] ?? []),
  );
}

/** `server=/domain/…` is for one domain only. */
function serversOfDnsmasq(text: string): string[] {
  const servers = text.matchAll(/^\s*server=([\d.]+|[\da-f:]+)(?:#\d+)?(?:@\S+)?\s*$/gim);
  const options = text.matchAll(/^\s*dhcp-option=(?:6|option:dns-server),([\d.,]+)\s*$/gm);
  return [
    ...[...servers].map(([, server = '']) => server),
    ...[...options].flatMap(([, list = '']) => list.split(',')),
  ];
}

/**
 * A network without IPv4: its resolver makes IPv6 addresses of IPv4 ones (DNS64, by unbound), and its gateway translates
 * what is sent to them (NAT64, by tayga on a TUN link).
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Lab } from '../rig/lab.ts';
import { Resolver } from '../rig/peers/resolver.ts';
import { treeOf } from '../rig/unpacked.ts';
import { gateway, station } from './local-network.ts';
import type { Machine } from './machine.ts';
import type { NetworkStage } from './network-stage.ts';

/** In front of the 32 bits of an IPv4 address (RFC 6052). */
export const nat64Prefix = '2001:db8:6464::';
/** What IPv6 stations look like to the other side. */
const pool = '192.168.64.0/24';
const own = { v4: '192.168.64.1', v6: '2001:db8:64:64::1' } as const;

export class Nat64 {
  readonly resolver: Resolver;

  /** The stage's client loses its IPv4 address. */
  static async start(lab: Lab, { client, network, internet }: NetworkStage): Promise<Nat64> {
    const { namespace } = network;
    await withoutIpv4(client);
    await network.configureDnsmasq(['port=0']);
    const resolver = await Resolver.start(lab, namespace, {
      addresses: [gateway.v6],
      names: {},
      forwardTo: internet.openResolver,
      dns64Prefix: `${nat64Prefix}/96`,
    });
    const directory = join(lab.directory, 'tayga');
    const file = `${directory}.conf`;
    await writeFile(file, taygaLines(lab.directory).join('\n'));
    const tayga = join(treeOf('tayga'), 'usr/sbin/tayga');
    const program = lab.adopt(await namespace.start(tayga, ['--nodetach', '-d', '--config', file]));
    await program.ready(async () => {
      return (await namespace.run('ip', ['link', 'show', 'nat64'])).code === 0;
    });
    await namespace.ip('link', 'set', 'nat64', 'up');
    await namespace.ip('addr', 'add', `${own.v4}/32`, 'dev', 'nat64');
    await namespace.ip('route', 'add', pool, 'dev', 'nat64');
    await namespace.ip('-6', 'route', 'add', `${nat64Prefix}/96`, 'dev', 'nat64');
    return new Nat64(resolver);
  }

  private constructor(resolver: Resolver) {
    this.resolver = resolver;
  }
}

async function withoutIpv4(client: Machine): Promise<void> {
  await client.ip('-4', 'addr', 'flush', 'dev', 'eth0');
  await client.ip('addr', 'replace', `${station.v6}/64`, 'dev', 'eth0', 'nodad');
  await client.ip('-6', 'route', 'replace', 'default', 'via', gateway.v6, 'dev', 'eth0');
  await client.write('/etc/resolv.conf', `nameserver ${gateway.v6}\n`);
}

function taygaLines(directory: string): string[] {
  return [
    'tun-device nat64',
    `ipv4-addr ${own.v4}`,
    `ipv6-addr ${own.v6}`,
    `prefix ${nat64Prefix}/96`,
    `dynamic-pool ${pool}`,
    `data-dir ${directory}`,
    '',
  ];
}

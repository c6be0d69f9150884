/**
 * A network with a gateway: dnsmasq gives addresses (DHCP, router advertisements) and is its resolver; the gateway forwards
 * to what is behind it.
 *
 *     machines ──── lan (bridge) [ gateway ] wan ──── internet
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from '../rig/available.ts';
import type { Lab } from '../rig/lab.ts';
import { Namespace } from '../rig/network/namespace.ts';
import { Resolver } from '../rig/peers/resolver.ts';
import type { Program } from '../rig/process.ts';
import type { Internet } from './internet.ts';
import type { Machine } from './machine.ts';

export const gateway = { v4: '192.168.77.1', v6: '2001:db8:77::1' } as const;
export const station = { v4: '192.168.77.100', v6: '2001:db8:77::100' } as const;
/** Names that only this network knows. */
export const internalZone = 'corp.example';
export const internalDns = '192.168.77.53';
export const internalAddress = '192.168.77.20';

const wan = {
  near: { v4: '100.64.0.1', v6: '2001:db8:64::1' },
  far: { v4: '100.64.0.2', v6: '2001:db8:64::2' },
} as const;

export class LocalNetwork {
  readonly namespace: Namespace;
  readonly internalResolver: Resolver;
  readonly #lab: Lab;
  readonly #dnsmasqLines: readonly string[];
  #dnsmasq: Program | undefined;
  #ports = 0;

  /** `dnsmasq`: further lines of its configuration; `leases`: it gives IPv4 addresses. */
  static async start(
    lab: Lab,
    internet: Internet,
    dnsmasq: string[] = [],
    leases = true,
  ): Promise<LocalNetwork> {
    const namespace = await Namespace.create(lab, 'network');
    await namespace.sysctl('net.ipv4.ip_forward', 1);
    await namespace.sysctl('net.ipv6.conf.all.forwarding', 1);
    await namespace.ipAll(
      'link add lan type bridge',
      'link set lan up',
      ...addresses('lan', gateway),
      `addr add ${internalDns}/32 dev lo`,
    );
    await connect(namespace, internet.namespace);
    const internalResolver = await Resolver.start(lab, namespace, {
      addresses: [internalDns],
      names: { [internalZone]: [`A ${internalAddress}`] },
    });
    const lines = dnsmasqLines(lab.directory, internet.openResolver, leases);
    const network = new LocalNetwork(lab, namespace, lines, internalResolver);
    await network.configureDnsmasq(dnsmasq);
    return network;
  }

  private constructor(
    lab: Lab,
    namespace: Namespace,
    dnsmasqLines: readonly string[],
    resolver: Resolver,
  ) {
    this.#lab = lab;
    this.namespace = namespace;
    this.#dnsmasqLines = dnsmasqLines;
    this.internalResolver = resolver;
  }

  /** Starts dnsmasq anew with these lines besides its own. */
  async configureDnsmasq(lines: string[]): Promise<void> {
    await this.#dnsmasq?.stop();
    const file = join(this.#lab.directory, 'dnsmasq.conf');
    await writeFile(file, [...this.#dnsmasqLines, ...lines].join('\n'));
    const program = await this.namespace.start(locate('dnsmasq'), [`--conf-file=${file}`]);
    this.#dnsmasq = this.#lab.adopt(program);
    await program.ready(async () => program.stderr.includes('started, version'));
  }

  /** The names that dnsmasq received as the network's resolver, in lower case. */
  get heard(): string[] {
    const lines = (this.#dnsmasq?.stderr ?? '').matchAll(/query\[\w+\] (\S+) from/g);
    return [...lines].map(([, name = '']) => name.toLowerCase());
  }

  /** Plugs in a machine's eth0, which has no address yet. */
  async plug(machine: Machine, { advertised }: { advertised: boolean }): Promise<void> {
    const port = `port${++this.#ports}`;
    await this.namespace.ipAll(
      `link add ${port} type veth peer name eth0 netns ${machine.namespace.name}`,
      `link set ${port} master lan up`,
    );
    await machine.namespace.sysctl('net.ipv6.conf.eth0.accept_dad', 0);
    // To a service that runs by then, another default route is another network.
    if (!advertised) await machine.namespace.sysctl('net.ipv6.conf.eth0.accept_ra', 0);
    await machine.ip('link', 'set', 'eth0', 'up');
  }

  /** Takes away or gives back the carrier of the machine that was plugged in first. */
  async carrier(state: 'up' | 'down'): Promise<void> {
    await this.namespace.ip('link', 'set', 'port1', state);
  }

  /** Configures at once what DHCP would give. */
  async addressStation(machine: Machine): Promise<void> {
    await machine.namespace.ipAll(...addresses('eth0', station), ...routes('eth0', gateway));
    await machine.write('/etc/resolv.conf', `nameserver ${gateway.v4}\n`);
  }
}

interface Addresses {
  v4: string;
  v6: string;
}

function addresses(device: string, { v4, v6 }: Addresses): string[] {
  return [`addr replace ${v4}/24 dev ${device}`, `addr replace ${v6}/64 dev ${device} nodad`];
}

function routes(device: string, { v4, v6 }: Addresses): string[] {
  return [v4, v6].map((via) => `route replace default via ${via} dev ${device}`);
}

async function connect(network: Namespace, internet: Namespace): Promise<void> {
  await network.ipAll(
    `link add wan type veth peer name eth0 netns ${internet.name}`,
    'link set wan up',
    ...addresses('wan', wan.near),
  );
  await internet.ipAll(
    'link set eth0 up',
    ...addresses('eth0', wan.far),
    ...routes('eth0', wan.near),
  );
  await network.ipAll(...routes('wan', wan.far));
}

function dnsmasqLines(directory: string, forwardTo: string, leases: boolean): string[] {
  return [
    'keep-in-foreground',
    'user=root',
    'pid-file=',
    'log-facility=-',
    'log-queries',
    'no-resolv',
    'no-hosts',
    'no-ping',
    'bind-interfaces',
    'interface=lan',
    'except-interface=lo',
    `listen-address=${gateway.v4},${gateway.v6}`,
    `server=${forwardTo}`,
    `server=/${internalZone}/${internalDns}`,
    `dhcp-leasefile=${join(directory, 'leases')}`,
    'dhcp-range=2001:db8:77::100,2001:db8:77::1ff,slaac,64,1h',
    'dhcp-rapid-commit',
    'enable-ra',
    `dhcp-option=option6:dns-server,[${gateway.v6}]`,
    ...(leases ? leaseLines : []),
  ];
}

const leaseLines = [
  'dhcp-range=192.168.77.100,192.168.77.199,1h',
  `dhcp-option=option:dns-server,${gateway.v4}`,
  `dhcp-option=option:domain-search,${internalZone}`,
];

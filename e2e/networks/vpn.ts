/**
 * A company behind a VPN: a tunnel (TUN at both ends, DTLS between them) that a process on the client holds, and a resolver that
 * only the tunnel reaches. When the process ends, the link is gone with all its settings.
 *
 *     client vpn0 ════ DTLS through network and internet ════ vpn0 company
 */

import { locate } from '../rig/available.ts';
import { CertificateAuthority, type Identity } from '../rig/certificates.ts';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import { Namespace } from '../rig/network/namespace.ts';
import { Resolver } from '../rig/peers/resolver.ts';
import type { Program } from '../rig/process.ts';
import type { Machine } from './machine.ts';
import type { NetworkManager } from './network-manager.ts';
import type { NetworkStage } from './network-stage.ts';
import { resolvectl } from './resolved.ts';

export const companyZone = 'intranet.example';
export const companyDns = '10.99.0.53';
export const companyAddress = '10.99.0.80';
export const vpnDevice = 'vpn0';

const server = { address: '198.51.100.200', port: 1194 } as const;
const ends = { client: '10.99.0.2/24', company: '10.99.0.1/24' } as const;
const cable = { internet: '100.64.9.1', company: '100.64.9.2' } as const;
/** The name that NetworkManager gives to such links. */
const connection = 'company';
const tunnel = `tun-name=${vpnDevice},tun-type=tun,iff-no-pi,iff-up`;

interface Told {
  /** `~intranet.example` only routes names; `~.` stands for all names */
  domains?: string[];
}

export class Vpn {
  readonly resolver: Resolver;
  readonly #client: Machine;
  readonly #company: Namespace;
  readonly #identity: Identity;
  #ends: Program[] = [];

  static async open(lab: Lab, { client, internet }: NetworkStage): Promise<Vpn> {
    const company = await Namespace.create(lab, 'company');
    await lay(internet.namespace, company);
    const resolver = await Resolver.start(lab, company, {
      addresses: [companyDns],
      names: { [companyZone]: [`A ${companyAddress}`], 'far.example': ['A 10.99.0.7'] },
    });
    const authority = await CertificateAuthority.create(lab);
    const identity = await authority.issue({ for: [`IP:${server.address}`] });
    return lab.adopt(new Vpn(client, company, resolver, identity));
  }

  private constructor(client: Machine, company: Namespace, resolver: Resolver, identity: Identity) {
    this.#client = client;
    this.#company = company;
    this.resolver = resolver;
    this.#identity = identity;
  }

  /** The link exists and works; its resolver has not been set anywhere yet. */
  async up(): Promise<void> {
    await this.#connect(`TUN:${ends.client},${tunnel}`);
  }

  /** NetworkManager makes the link and reads resolver and domain from its connection, which `managedDown` ends. */
  async managedUp(manager: NetworkManager): Promise<void> {
    await manager.nmcli(
      ...['connection', 'add', 'type', 'tun', 'con-name', connection, 'ifname', vpnDevice],
      ...['mode', 'tun', 'ipv4.method', 'manual', 'ipv4.addresses', ends.client],
      ...['ipv4.dns', companyDns, 'ipv4.dns-search', companyZone, 'ipv4.never-default', 'yes'],
      ...['ipv6.method', 'disabled', 'autoconnect', 'no'],
    );
    await manager.nmcli('connection', 'up', connection);
    await this.#connect(`TUN,${tunnel}`);
  }

  async managedDown(manager: NetworkManager): Promise<void> {
    await manager.nmcli('connection', 'down', connection);
    await this.down();
  }

  /** `nearEnd`: socat's address for the client's end of the tunnel. */
  async #connect(nearEnd: string): Promise<void> {
    const socat = locate('socat');
    const { certificate, key } = this.#identity;
    const listening = `openssl-dtls-server:${server.port},bind=${server.address},cert=${certificate},key=${key},verify=0`;
    const dialling = `openssl-dtls-client:${server.address}:${server.port},verify=0`;
    const far = await this.#company.start(socat, [listening, `TUN:${ends.company},${tunnel}`]);
    await far.ready(async () => await this.#listens());
    const near = await this.#client.start(socat, [dialling, nearEnd]);
    this.#ends = [near, far];
    const ask = ['-c', 'exec 3<>/dev/tcp/$0/53', companyDns];
    // The first packets may come before the other end reads, and a new attempt is faster than TCP's repetition; on a busy machine
    // the program itself needs longer.
    let timeoutMs = 125;
    const connecting = async () => {
      timeoutMs = Math.min(2 * timeoutMs, 8_000);
      return await this.#client.run('/bin/bash', ask, { timeoutMs });
    };
    await near.ready(async () => (await connecting()).code === 0);
  }

  /** Sets DNS as scripts of VPN clients do where systemd-resolved runs. */
  async tellResolved({ domains = [`~${companyZone}`] }: Told = {}): Promise<void> {
    await eventually('resolved knows the link', async () => {
      return (await this.#client.run(resolvectl, ['dns', vpnDevice, companyDns])).code === 0;
    });
    await this.#client.succeed(resolvectl, 'domain', vpnDevice, ...domains);
    const everything = domains.includes('~.') ? 'yes' : 'no';
    await this.#client.succeed(resolvectl, 'default-route', vpnDevice, everything);
  }

  /** Sets DNS as scripts of VPN clients do where no mechanism exists; `before` is what `down` restores. */
  async tellResolvConf(): Promise<void> {
    const before = await this.#client.read('/etc/resolv.conf');
    const lines = [`search ${companyZone}`, `nameserver ${companyDns}`];
    await this.#client.write('/etc/resolv.conf', `${lines.join('\n')}\n${before}`);
  }

  /** Ends the process, with any signal; the link is then gone. */
  async down(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    for (const end of this.#ends.splice(0)) await end.stop(signal);
    await eventually('the link is gone', async () => {
      return !(await this.#client.ip('-br', 'link')).includes(vpnDevice);
    });
  }

  async #listens(): Promise<boolean> {
    const { stdout } = await this.#company.run('cat', ['/proc/net/udp']);
    return stdout.includes(`:0${server.port.toString(16).toUpperCase()} `);
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0)) await end.stop();
  }
}

/** The company's gateway has an address on the internet; the hosts behind it have none there. */
async function lay(internet: Namespace, company: Namespace): Promise<void> {
  const peer = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', company.name];
  await internet.ip('link', 'add', 'company', ...peer);
  await internet.ip('link', 'set', 'company', 'up');
  await internet.ip('addr', 'add', `${cable.internet}/30`, 'dev', 'company');
  await internet.ip('route', 'add', `${server.address}/32`, 'via', cable.company);
  await internet.ip('route', 'add', 'unreachable', '10.0.0.0/8');
  await internet.sysctl('net.ipv4.ip_forward', 1);
  await company.ip('link', 'set', 'eth0', 'up');
  await company.ip('addr', 'add', `${cable.company}/30`, 'dev', 'eth0');
  await company.ip('route', 'add', 'default', 'via', cable.internet);
  for (const address of [server.address, companyDns, companyAddress])
    await company.ip('addr', 'add', `${address}/32`, 'dev', 'lo');
}

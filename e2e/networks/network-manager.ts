/** The real NetworkManager on a machine, in charge of its eth0. */
import { locate } from '../rig/available.ts';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import type { Program } from '../rig/process.ts';
import type { Machine } from './machine.ts';

interface NetworkManagerOptions {
  /** where it puts DNS settings; `default`: /etc/resolv.conf */
  dns: 'systemd-resolved' | 'default' | 'none';
  /** the file that says so: one that others may override, or one that overrides others */
  saidBy?: 'distribution' | 'administrator';
  /** further lines of NetworkManager.conf, such as a `[connectivity]` section */
  configuration?: string[];
  /** sections and lines of the connection on eth0, after its own */
  connection?: string[];
}

const configurationFile = '/etc/NetworkManager/NetworkManager.conf';
/** A file in the folder that is read just after the distribution's, which all machines share. */
const dnsFiles = {
  distribution: '/run/NetworkManager/conf.d/10-distribution.conf',
  administrator: '/etc/NetworkManager/conf.d/50-dns.conf',
};
const connectionFile = '/etc/NetworkManager/system-connections/eth0.nmconnection';

export class NetworkManager {
  readonly #machine: Machine;
  #program: Program | undefined;

  /** The bus must be there. Ready when eth0 is connected. */
  static async start(
    lab: Lab,
    machine: Machine,
    options: NetworkManagerOptions,
  ): Promise<NetworkManager> {
    await machine.write(configurationFile, configuration(options).join('\n'));
    const dnsFile = dnsFiles[options.saidBy ?? 'distribution'];
    await machine.shell('mkdir -p "$(dirname "$1")"', dnsFile);
    await machine.write(dnsFile, dnsSettings(options.dns));
    await machine.write(connectionFile, connection(options).join('\n'));
    await machine.shell('chmod 600 "$1"', connectionFile);
    // NetworkManager would leave alone what the kernel itself configures from a router advertisement.
    await machine.shell('echo 0 > /proc/sys/net/ipv6/conf/eth0/accept_ra');
    await machine.ip('address', 'flush', 'dev', 'eth0', 'scope', 'global');
    const manager = lab.adopt(new NetworkManager(machine));
    await manager.start();
    return manager;
  }

  private constructor(machine: Machine) {
    this.#machine = machine;
  }

  async start(): Promise<void> {
    this.#program = await this.#machine.start(locate('NetworkManager'), ['--debug']);
    await this.#program.ready(async () => (await this.device()).includes('connected'));
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#program?.stop(signal);
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  /** Waits until eth0 is connected again. */
  async connected(): Promise<void> {
    await eventually('eth0 is connected', async () => (await this.device()).includes('connected'));
  }

  async nmcli(...args: string[]): Promise<string> {
    return (await this.#machine.succeed(locate('nmcli'), '-t', ...args)).trim();
  }

  /** `connected`, `connecting (getting IP configuration)`, `unavailable`, … */
  async device(): Promise<string[]> {
    const states = await this.nmcli('-f', 'DEVICE,STATE', 'device');
    const line = states.split('\n').find((each) => each.startsWith('eth0:'));
    return line === undefined ? [] : [line.slice('eth0:'.length)];
  }

  /** `full`, `portal`, `limited`, `none`, `unknown`, as its connectivity check now reports. */
  async connectivity(): Promise<string> {
    return await this.nmcli('networking', 'connectivity', 'check');
  }

  transcript(): string {
    return this.#program?.transcript() ?? '';
  }
}

function dnsSettings(dns: NetworkManagerOptions['dns']): string {
  const writesNoFile = dns === 'systemd-resolved' ? 'rc-manager=unmanaged\n' : '';
  return `[main]\ndns=${dns}\n${writesNoFile}`;
}

function configuration({ configuration = [] }: NetworkManagerOptions): string[] {
  return [
    '[main]',
    'plugins=keyfile',
    'auth-polkit=false',
    'dhcp=internal',
    'no-auto-default=*',
    '[device-eth0]',
    'match-device=interface-name:eth0',
    'managed=1',
    ...configuration,
    '',
  ];
}

function connection({ connection = [] }: NetworkManagerOptions): string[] {
  return [
    '[connection]',
    'id=wired',
    'uuid=7a7c5f6e-6f0f-4d6f-9d7e-0f5a1d0c0001',
    'type=ethernet',
    'interface-name=eth0',
    '[ipv4]',
    'method=auto',
    '[ipv6]',
    'method=auto',
    'addr-gen-mode=eui64',
    ...connection,
    '',
  ];
}

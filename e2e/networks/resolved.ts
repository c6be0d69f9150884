/** The real systemd-resolved on a machine, without systemd, and its state on the bus. */
import { join } from 'node:path';
import type { Lab } from '../rig/lab.ts';
import type { Program } from '../rig/process.ts';
import { treeOf } from '../rig/unpacked.ts';
import type { Machine } from './machine.ts';

const name = 'org.freedesktop.resolve1';
const path = '/org/freedesktop/resolve1';
const manager = `${name}.Manager`;
export const resolvectl = join(treeOf('systemd-resolved'), 'usr/bin/resolvectl');
/** the resolver that resolv.conf names */
export const stubAddress = '127.0.0.53';
export const stubFile = '/run/systemd/resolve/stub-resolv.conf';

/** The settings of one link, as resolved reports them. */
interface LinkState {
  /** `127.0.0.1:5300`; the port is left out where it is 53 */
  dns: string[];
  /** `~.` and `~corp.example` only route names; `corp.example` is a search domain, too */
  domains: string[];
  defaultRoute: boolean;
  dnsOverTls: string;
  llmnr: string;
  multicastDns: string;
}

export class Resolved {
  readonly #machine: Machine;
  #program: Program | undefined;

  /** The bus must be there. `/etc/resolv.conf` becomes a link to resolved's stub file, as distributions have it. */
  static async start(lab: Lab, machine: Machine): Promise<Resolved> {
    const resolved = lab.adopt(new Resolved(machine));
    await resolved.start();
    await machine.shell('ln -sf "$1" /etc/resolv.conf', `..${stubFile}`);
    return resolved;
  }

  private constructor(machine: Machine) {
    this.#machine = machine;
  }

  async start(): Promise<void> {
    const program = await this.#machine.start(
      join(treeOf('systemd-resolved'), 'lib/systemd/systemd-resolved'),
      [],
    );
    this.#program = program;
    const ping = ['--system', 'call', name, path, 'org.freedesktop.DBus.Peer', 'Ping'];
    await program.ready(async () => (await this.#machine.run('busctl', ping)).code === 0);
  }

  /** It keeps the settings of links below /run/systemd/resolve/netif, and reads them when it starts again. */
  async restart(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.stop(signal);
    await this.start();
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#program?.stop(signal);
  }

  /** A method of the manager, with busctl's signature and arguments: `SetLinkDefaultRoute`, `ib`, `2`, `true`. */
  async call(method: string, ...args: string[]): Promise<string> {
    return await this.#machine.succeed('busctl', 'call', name, path, manager, method, ...args);
  }

  async link(device: string): Promise<LinkState> {
    const index = await this.linkIndex(device);
    const [objectPath] = await this.#json([
      'call',
      name,
      path,
      manager,
      'GetLink',
      'i',
      `${index}`,
    ]);
    const get = async (property: string) =>
      await this.#json(['get-property', name, `${objectPath}`, `${name}.Link`, property]);
    const servers = (await get('DNSEx')) as [number, number[], number, string][];
    const domains = (await get('Domains')) as [string, boolean][];
    return {
      dns: servers.map(([, octets, port]) => endpoint(octets, port)),
      domains: domains.map(([domain, routeOnly]) => `${routeOnly ? '~' : ''}${domain}`),
      defaultRoute: (await get('DefaultRoute')) as unknown as boolean,
      dnsOverTls: (await get('DNSOverTLS')) as unknown as string,
      llmnr: (await get('LLMNR')) as unknown as string,
      multicastDns: (await get('MulticastDNS')) as unknown as string,
    };
  }

  /** What files of settings and drop-ins say, beside the links. Servers as `ip:port#name`. */
  async global(): Promise<{ dns: string[]; domains: string[]; dnsOverTls: string }> {
    const get = async (property: string) =>
      await this.#json(['get-property', name, path, manager, property]);
    const servers = (await get('DNSEx')) as [number, number, number[], number, string][];
    const domains = (await get('Domains')) as [number, string, boolean][];
    return {
      dns: servers.map(([, , octets, port, host]) => `${endpoint(octets, port)}#${host}`),
      domains: domains.map(([, domain, routeOnly]) => `${routeOnly ? '~' : ''}${domain}`),
      dnsOverTls: (await get('DNSOverTLS')) as unknown as string,
    };
  }

  async linkIndex(device: string): Promise<number> {
    const [link] = JSON.parse(await this.#machine.ip('-j', 'link', 'show', device));
    return link.ifindex;
  }

  transcript(): string {
    return this.#program?.transcript() ?? '';
  }

  /** The arguments of a reply, or the value of a property. */
  async #json(args: string[]): Promise<unknown[]> {
    const text = await this.#machine.succeed('busctl', '--json=short', ...args);
    return (JSON.parse(text) as { data: unknown[] }).data;
  }
}

function endpoint(octets: number[], port: number): string {
  const address =
    octets.length === 4
      ? octets.join('.')
      : `[${Buffer.from(octets)
          .toString('hex')
          .replace(/(....)(?!$)/g, '$1:')}]`;
  return port === 0 || port === 53 ? address : `${address}:${port}`;
}

/** A DHCP server of the network whose leases change: clients renew each second, and a test sets the domain of the next lease. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import type { Program } from '../rig/process.ts';
import { gateway, type LocalNetwork, station } from './local-network.ts';

const program = join(import.meta.dirname, 'dhcp-server-program.ts');
const broadcast = '192.168.77.255';

export class DhcpServer {
  readonly #program: Program;
  readonly #domainFile: string;

  /**
   * For one machine, on a network whose dnsmasq gives no leases. `news`: it replies to a renewal only if the domain is a new one.
   */
  static async start(
    lab: Lab,
    network: LocalNetwork,
    answers: 'always' | 'news' = 'always',
  ): Promise<DhcpServer> {
    const domainFile = join(lab.directory, 'dhcp-domain');
    await writeFile(domainFile, 'd0.example');
    const words = [program, station.v4, gateway.v4, broadcast, domainFile, answers];
    const started = await network.namespace.start(process.execPath, words);
    await started.ready(async () => started.stdout.includes('ready'));
    return lab.adopt(new DhcpServer(started, domainFile));
  }

  private constructor(started: Program, domainFile: string) {
    this.#program = started;
    this.#domainFile = domainFile;
  }

  /** Resolves when a client got a lease with this domain. */
  async sayDomain(domain: string): Promise<void> {
    await writeFile(this.#domainFile, domain);
    const words = `acknowledged ${domain}\n`;
    await eventually(words.trim(), () => this.#program.stdout.includes(words));
  }

  transcript(): string {
    return this.#program.transcript();
  }

  async stop(): Promise<void> {
    await this.#program.stop();
  }
}

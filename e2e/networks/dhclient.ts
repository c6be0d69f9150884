/** ISC's DHCP client on a machine. It is configured to request option 114, or DHCPv6's 103, and writes it to /var/lib/dhcp. */
import { join } from 'node:path';
import type { Lab } from '../rig/lab.ts';
import type { Program } from '../rig/process.ts';
import { treeOf } from '../rig/unpacked.ts';
import type { Machine } from './machine.ts';

const leaseFiles = {
  4: '/var/lib/dhcp/dhclient.eth0.leases',
  6: '/var/lib/dhcp/dhclient6.eth0.leases',
};
export const leaseFile = leaseFiles[4];
/**
 * It does not know option 103 and requests no option without a name, so 103 is defined here. After a failed request it soon tries
 * again.
 */
const configuration = `option dhcp6.captive-portal code 103 = text;
also request default-url, dhcp6.captive-portal;
send host-name "client";
initial-interval 1;
backoff-cutoff 2;
`;

export class Dhclient {
  readonly #program: Program;

  /** Ready when eth0 has an address of this family; /etc/resolv.conf then has what DHCP sent, unless a hook prevents it. */
  static async start(
    lab: Lab,
    machine: Machine,
    family: 4 | 6 = 4,
    furtherLines = '',
  ): Promise<Dhclient> {
    const tree = treeOf('isc-dhcp-client');
    await machine.write('/etc/dhcp/dhclient.conf', configuration + furtherLines);
    const program = await machine.start(join(tree, 'sbin/dhclient'), [
      ...['-d', `-${family}`, '-lf', leaseFiles[family], '-pf', `/run/dhclient${family}.eth0.pid`],
      ...['-cf', '/etc/dhcp/dhclient.conf', '-sf', join(tree, 'sbin/dhclient-script'), 'eth0'],
    ]);
    const isWritten = async () =>
      (await machine.run('grep', ['-q', '^}', leaseFiles[family]])).code === 0;
    await program.ready(
      async () => /bound to|status code Success/.test(program.stderr) && (await isWritten()),
    );
    return lab.adopt(new Dhclient(program));
  }

  private constructor(program: Program) {
    this.#program = program;
  }

  /** How often it has asked for an address, or for its renewal. */
  get requests(): number {
    return this.#program.stderr.split('DHCPREQUEST').length - 1;
  }

  async stop(): Promise<void> {
    await this.#program.stop();
  }

  transcript(): string {
    return this.#program.transcript();
  }
}

/** ISC's DHCP client on a machine, which writes down what it is told to ask for: option 114 in /var/lib/dhcp. */
import { join } from 'node:path';
import type { Lab } from '../system/lab.ts';
import type { Program } from '../system/process.ts';
import type { Machine } from './machine.ts';
import { treeOf } from './unpacked.ts';

export const leaseFile = '/var/lib/dhcp/dhclient.eth0.leases';
const configuration = `also request default-url;
send host-name "client";
`;

export class Dhclient {
  readonly #program: Program;

  /** Ready when eth0 has an address; /etc/resolv.conf then says what DHCP said. */
  static async start(lab: Lab, machine: Machine): Promise<Dhclient> {
    const tree = treeOf('isc-dhcp-client');
    await machine.write('/etc/dhcp/dhclient.conf', configuration);
    const program = await machine.start(join(tree, 'sbin/dhclient'), [
      ...['-d', '-4', '-lf', leaseFile, '-pf', '/run/dhclient.eth0.pid'],
      ...['-cf', '/etc/dhcp/dhclient.conf', '-sf', join(tree, 'sbin/dhclient-script'), 'eth0'],
    ]);
    await program.ready(async () => program.stderr.includes('bound to'));
    return lab.adopt(new Dhclient(program));
  }

  private constructor(program: Program) {
    this.#program = program;
  }

  async stop(): Promise<void> {
    await this.#program.stop();
  }

  transcript(): string {
    return this.#program.transcript();
  }
}

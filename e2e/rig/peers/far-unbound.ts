/** unbound on the far machine, over TLS: somebody else's server, which has names of its own. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from '../available.ts';
import { CertificateAuthority } from '../certificates.ts';
import type { Lab } from '../lab.ts';
import type { Namespace } from '../network/namespace.ts';
import { type Program, run } from '../process.ts';
import { serverName, zone, zoneAddress } from './far-server.ts';

export class FarUnbound {
  /** PEM file to trust */
  readonly ca: string;
  readonly #program: Program;

  /** Port 853 of the address. */
  static async start(lab: Lab, far: Namespace, address: string): Promise<FarUnbound> {
    const authority = await CertificateAuthority.create(lab);
    const identity = await authority.issue({ for: [`DNS:${serverName}`] });
    const configuration = join(lab.directory, 'far-unbound.conf');
    const lines = [
      'server:',
      '  use-syslog: no',
      '  username: ""',
      '  chroot: ""',
      '  pidfile: ""',
      `  interface: ${address}@853`,
      '  access-control: 0.0.0.0/0 allow',
      `  tls-service-key: "${identity.key}"`,
      `  tls-service-pem: "${identity.certificate}"`,
      `  local-zone: "${zone}" redirect`,
      `  local-data: "${zone} A ${zoneAddress}"`,
      // what a test of the upstream asks
      '  local-zone: "." static',
      `  local-data: ". NS ${serverName}"`,
      'remote-control:',
      '  control-enable: no',
    ];
    await writeFile(configuration, lines.join('\n'));
    const program = await far.start(locate('unbound'), ['-d', '-p', '-c', configuration]);
    const unbound = lab.adopt(new FarUnbound(authority.certificate, program));
    const connecting = far.inside('/bin/bash', ['-c', 'exec 3<>/dev/tcp/$0/853', address]);
    await program.ready(async () => (await run(...connecting)).code === 0);
    return unbound;
  }

  private constructor(ca: string, program: Program) {
    this.ca = ca;
    this.#program = program;
  }

  async stop(): Promise<void> {
    await this.#program.stop();
  }

  transcript(): string {
    return this.#program.transcript();
  }
}

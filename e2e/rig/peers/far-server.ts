/** sotto-server on the far machine: a zone of its own over UDP, TCP, STARTTLS and TLS. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sottoServer } from '../available.ts';
import type { Lab } from '../lab.ts';
import type { Namespace } from '../network/namespace.ts';
import type { Program } from '../process.ts';

/** Any name below has an address. */
export const zone = 'far.example';
export const zoneAddress = '203.0.113.7';
export const serverName = 'dns.far.example';

interface FarServerOptions {
  /** ports 53 and 853 of each */
  addresses: string[];
  delay?: string;
}

let count = 0;

export class FarServer {
  /** PEM file to trust */
  readonly ca: string;
  readonly #program: Program;

  static async start(lab: Lab, far: Namespace, options: FarServerOptions): Promise<FarServer> {
    const file = join(lab.directory, `far${++count}`);
    await writeFile(`${file}.zone`, zoneText);
    const listen = options.addresses.map((each) => (each.includes(':') ? `[${each}]` : each));
    const program = await far.start(sottoServer, [
      ...['--zone', `${file}.zone`, '--origin', zone, '--delay', options.delay ?? '0ms'],
      ...['--starttls', ...listen, '--dot', ...listen],
      // clients of these labs show no cookies, and nobody forges an address
      ...['--udp-unproven', 'full'],
      ...['--self-signed', `${serverName},${options.addresses.join(',')}`],
      ...['--certificate-out', `${file}.pem`],
    ]);
    const server = lab.adopt(new FarServer(`${file}.pem`, program));
    await program.ready(async () => /^\{.*\}$/m.test(program.stdout));
    return server;
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

const zoneText = `$TTL 300
@ SOA ns hostmaster 1 3600 900 86400 60
@ NS ns
ns A ${zoneAddress}
* A ${zoneAddress}
* AAAA 2001:db8:7::7
`;

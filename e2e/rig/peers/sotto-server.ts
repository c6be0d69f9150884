/** The other end of the wire, our own: STARTTLS and TLS in front of another resolver. */

import { text } from '../../system/scene.ts';
import { sottoServer } from '../available.ts';
import type { Identity } from '../certificates.ts';
import type { Lab } from '../lab.ts';
import { Program } from '../process.ts';
import type { Endpoint } from '../raw-client.ts';

interface SottoServerOptions {
  identity: Identity;
  backend: Endpoint;
}

/** The line it prints when it listens. */
interface Ready {
  starttls: string[];
  dot: string[];
}

export class SottoServer {
  readonly starttls: Endpoint;
  readonly tls: Endpoint;
  readonly #program: Program;

  static async start(lab: Lab, { identity, backend }: SottoServerOptions): Promise<SottoServer> {
    const program = await Program.start(sottoServer, [
      ...['--to', text(backend), '--starttls', '127.0.0.1:0', '--dot', '127.0.0.1:0'],
      ...['--certificate', identity.certificate, '--key', identity.key],
      // dig and others ask it in clear without cookies
      ...['--udp-unproven', 'full'],
    ]);
    const [line] = await program.ready(async () => /^\{.*\}$/m.exec(program.stdout));
    return lab.adopt(new SottoServer(JSON.parse(line) as Ready, program));
  }

  private constructor(ready: Ready, program: Program) {
    this.starttls = endpoint(ready.starttls[0]);
    this.tls = endpoint(ready.dot[0]);
    this.#program = program;
  }

  async stop(): Promise<void> {
    await this.#program.stop();
  }

  transcript(): string {
    return this.#program.transcript();
  }
}

function endpoint(address = ''): Endpoint {
  const [host = '', port] = address.split(':');
  return { address: host, port: Number(port) };
}

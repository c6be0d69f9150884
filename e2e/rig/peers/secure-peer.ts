/** A DNS server by others, in a process of its own, that answers over UDP, TCP and TLS. */
import type { Program } from '../process.ts';
import type { Endpoint } from '../raw-client.ts';

export class SecurePeer {
  readonly plain: Endpoint;
  readonly tls: Endpoint;
  readonly #program: Program;

  protected constructor(plain: Endpoint, tls: Endpoint, program: Program) {
    this.plain = plain;
    this.tls = tls;
    this.#program = program;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    await this.#program.stop(signal);
  }

  transcript(): string {
    return this.#program.transcript();
  }
}

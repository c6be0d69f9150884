/** A DNS server by others, in a process of its own, that answers over UDP, TCP and TLS. */
import { locate } from '../available.ts';
import { type Program, succeed } from '../process.ts';
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

  /** A counter that this program prints for `stats_noreset`, such as `num.query.tls.resume`. */
  protected async counterOf(
    control: 'nsd-control' | 'unbound-control',
    configuration: string,
    name: string,
  ): Promise<number> {
    const stats = await succeed(locate(control), ['-c', configuration, 'stats_noreset']);
    const found = stats.split('\n').find((line) => line.startsWith(`${name}=`));
    if (found === undefined) throw new Error(`${control} has no counter ${name}`);
    return Number(found.slice(name.length + 1));
  }

  transcript(): string {
    return this.#program.transcript();
  }
}

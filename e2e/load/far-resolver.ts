/** sotto-server as a resolver some way off that knows every name under zipf.example, and can die and come back. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sottoServer } from '../rig/available.ts';
import type { Identity } from '../rig/certificates.ts';
import type { Lab } from '../rig/lab.ts';
import { freePort } from '../rig/ports.ts';
import { Program } from '../rig/process.ts';

export const resolverName = 'far.lab.example';
export const suffix = 'zipf.example';

/** A name with a TXT record set close to the largest message. */
export const largeName = `large.${suffix}`;

const zone = (ttl: number) => `@ ${ttl} SOA ns hostmaster 1 3600 600 86400 60
* ${ttl} A 198.18.0.1
large ${ttl} TXT ${Array(230)
  .fill(`"${'x'.repeat(250)}"`)
  .join(' ')}
`;

export interface TrustedIdentity extends Identity {
  /** PEM file of who issued it */
  authority: string;
}

export interface FarOptions {
  /** how long an answer takes */
  delayMs?: number;
  /** of its answers, seconds */
  ttl?: number;
}

export class FarResolver {
  /** ip:port for questions in clear */
  readonly plain: string;
  readonly #arguments: string[];
  readonly #address: string;
  readonly #authority: string;
  #program: Program | undefined;

  static async start(lab: Lab, identity: TrustedIdentity, options: FarOptions = {}) {
    const port = await freePort();
    const zoneFile = join(lab.directory, `zipf-${port}.zone`);
    await writeFile(zoneFile, zone(options.ttl ?? 60));
    const address = `127.0.0.1:${port}`;
    const plain = `127.0.0.1:${await freePort()}`;
    const far = lab.adopt(
      new FarResolver(address, plain, identity.authority, [
        ...['--zone', zoneFile, '--origin', suffix, '--dot', address, '--starttls', plain],
        // whoever asks here shows no cookies
        ...['--udp-unproven', 'full'],
        ...['--delay', `${options.delayMs ?? 0}ms`, '--threads', '1'],
        ...['--certificate', identity.certificate, '--key', identity.key],
      ]),
    );
    await far.start();
    return far;
  }

  private constructor(address: string, plain: string, authority: string, args: string[]) {
    this.#address = address;
    this.plain = plain;
    this.#authority = authority;
    this.#arguments = args;
  }

  /** As in settings.json. */
  upstream(id: string) {
    const [address, ca] = [this.#address, this.#authority];
    return { id, transport: 'dot' as const, address, name: resolverName, ca };
  }

  async start(): Promise<void> {
    const program = await Program.start(sottoServer, this.#arguments);
    await program.ready(async () => /^\{.*\}$/m.test(program.stdout));
    this.#program = program;
  }

  /** Without a word to anybody. */
  async kill(): Promise<void> {
    await this.#program?.stop('SIGKILL');
    this.#program = undefined;
  }

  async stop(): Promise<void> {
    await this.#program?.stop();
  }

  transcript(): string {
    return this.#program?.transcript() ?? '';
  }
}

/** sotto-server on an address of the far machine, in clear too; it can die, come back, and be taken for another. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sottoServer } from '../../rig/available.ts';
import { CertificateAuthority, type Identity } from '../../rig/certificates.ts';
import type { Lab } from '../../rig/lab.ts';
import type { Namespace } from '../../rig/network/namespace.ts';
import type { Program } from '../../rig/process.ts';

/** Any name below has an address. */
export const zone = 'far.example';
const serverName = 'dns.far.example';

/** Who the resolvers are, and who somebody in their place would be. */
export interface Identities {
  /** PEM file */
  authority: string;
  genuine: Identity;
  impostor: Identity;
}

export async function makeIdentities(lab: Lab): Promise<Identities> {
  const [ours, theirs] = [
    await CertificateAuthority.create(lab),
    await CertificateAuthority.create(lab),
  ];
  const holder = { for: [`DNS:${serverName}`] };
  return {
    authority: ours.certificate,
    genuine: await ours.issue(holder),
    impostor: await theirs.issue(holder),
  };
}

export class FarResolver {
  readonly address: string;
  readonly #far: Namespace;
  readonly #identities: Identities;
  readonly #zoneFile: string;
  #program: Program | undefined;

  static async start(
    lab: Lab,
    far: Namespace,
    address: string,
    identities: Identities,
  ): Promise<FarResolver> {
    const zoneFile = join(lab.directory, 'far.zone');
    await writeFile(zoneFile, zoneText);
    const resolver = lab.adopt(new FarResolver(far, address, identities, zoneFile));
    await resolver.start();
    return resolver;
  }

  private constructor(far: Namespace, address: string, identities: Identities, zoneFile: string) {
    this.#far = far;
    this.address = address;
    this.#identities = identities;
    this.#zoneFile = zoneFile;
  }

  /** As in settings.json. */
  upstream(id: string, transport: 'dot' | 'tdns') {
    const { address } = this;
    return { id, transport, address, name: serverName, ca: this.#identities.authority };
  }

  async start(as: 'genuine' | 'impostor' = 'genuine'): Promise<void> {
    const { certificate, key } = this.#identities[as];
    const program = await this.#far.start(sottoServer, [
      ...['--zone', this.#zoneFile, '--origin', zone, '--threads', '1'],
      ...['--starttls', this.address, '--dot', this.address],
      ...['--certificate', certificate, '--key', key],
      // a clear question shall be answered at once, as most servers do
      ...['--udp-unproven', 'full'],
    ]);
    await program.ready(async () => /^\{.*\}$/m.test(program.stdout));
    this.#program = program;
  }

  /** Without a word; its machine goes on, and refuses whoever comes. */
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

const zoneText = `$TTL 300
@ SOA ns hostmaster 1 3600 900 86400 60
@ NS ns
ns A 203.0.113.7
* A 203.0.113.7
`;

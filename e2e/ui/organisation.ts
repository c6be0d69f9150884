/** An organisation that publishes signed versions of its profile in a folder, where a machine may look by itself. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  fingerprintOf,
  writePublicKey,
  writeSignature,
} from '../../app/service/profiles/minisign.ts';
import { makeSecretKey, publicKeyOf, signOctets } from '../../app/service/profiles/secret-key.ts';

export class Organisation {
  readonly #key = makeSecretKey();
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get file(): string {
    return join(this.#folder, 'corp.json');
  }

  get source(): string {
    return `file://${this.file}`;
  }

  get publicKey(): string {
    return writePublicKey(publicKeyOf(this.#key));
  }

  get fingerprint(): string {
    return fingerprintOf(publicKeyOf(this.#key));
  }

  /** Profile, signature and public key, each in its file. */
  get files(): string[] {
    return [this.file, `${this.file}.minisig`, `${this.file}.pub`];
  }

  async publish(serial: number, settings: object, more: object = {}): Promise<void> {
    const facts = { id: 'example-corp', serial, issuer: 'Example Corp', name: 'Laptops' };
    const octets = Buffer.from(JSON.stringify({ ...facts, settings, ...more }, null, 2));
    const [profile = '', signature = '', key = ''] = this.files;
    await writeFile(profile, octets);
    await writeFile(signature, writeSignature(signOctets(octets, this.#key, `serial:${serial}`)));
    await writeFile(key, this.publicKey);
  }
}

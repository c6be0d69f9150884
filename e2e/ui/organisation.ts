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
    const version = this.signed(serial, settings, more);
    const [profile = '', signature = '', key = ''] = this.files;
    await writeFile(profile, version.octets);
    await writeFile(signature, version.signature);
    await writeFile(key, this.publicKey);
  }

  signed(serial: number, settings: object, more: object = {}) {
    const facts = { id: 'example-corp', serial, issuer: 'Example Corp', name: 'Laptops' };
    const octets = Buffer.from(JSON.stringify({ ...facts, settings, ...more }, null, 2));
    return {
      octets,
      signature: writeSignature(signOctets(octets, this.#key, `serial:${serial}`)),
    };
  }
}

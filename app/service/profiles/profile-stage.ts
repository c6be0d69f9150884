/** A service for tests of signed profiles: makes and signs versions, enrols them, and reads what holds. */
import type { Grant } from '../../contract/settings/profile-methods.ts';
import type { ConnectedService } from '../../service-client/service-client.ts';
import { ServiceStage } from '../service-stage.ts';
import { writePublicKey, writeSignature } from './minisign.ts';
import { makeSecretKey, publicKeyOf, type SecretKey, signOctets } from './secret-key.ts';

export const facts = { id: 'example-corp', issuer: 'Example Corp', name: 'Laptops' };

export type SignedVersion = { profile: string; signature: string };

export class ProfileStage extends ServiceStage {
  readonly key = makeSecretKey();
  service!: ConnectedService;

  async startWith(settings: object = {}): Promise<void> {
    this.folder.write('settings.json', settings);
    await this.begin();
  }

  async begin(): Promise<void> {
    await this.start();
    this.service = await this.client();
  }

  signed(serial: number, settings: object, more: object = {}, by = this.key): SignedVersion {
    const octets = Buffer.from(JSON.stringify({ ...facts, serial, settings, ...more }, null, 1));
    const signature = writeSignature(signOctets(octets, by, `serial:${serial}`));
    return { profile: octets.toString('base64'), signature };
  }

  enrol(version: SignedVersion, grants: Grant[] = [], by: SecretKey = this.key, ring?: string) {
    return this.service.call('profile.enrol', {
      ...version,
      key: writePublicKey(publicKeyOf(by)),
      grants,
      ...(ring === undefined ? {} : { ring }),
    });
  }

  publicKey(): string {
    return writePublicKey(publicKeyOf(this.key));
  }

  update(version: SignedVersion) {
    return this.service.call('profile.update', version);
  }

  async inForce(name: string) {
    const found = await this.service.call('settings.effective', {});
    return found.ok ? found.value.settings.find((one) => one.key === name) : undefined;
  }
}

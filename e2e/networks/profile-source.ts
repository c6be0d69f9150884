/** An organisation on the internet: its key, the versions that it signs, and a real HTTPS server that hands them out. */
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { CertificateAuthority } from '../rig/certificates.ts';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import type { SottoService } from '../rig/sotto-service.ts';
import { type Internet, webAddress } from './internet.ts';

const server = fileURLToPath(new URL('./file-server.ts', import.meta.url));
const host = 'it.far.example';

/** The code of a failure that a busy machine may have without a fault: its time to look up the host or to connect was over. */
export const unreachable = 'profile-unreachable';

/** What the internet has to know of it. */
export const sourceNames = { [host]: [`A ${webAddress.v4}`] };

export class ProfileSource {
  readonly address = `https://${host}/corp.json`;
  /** PEM file of the authority that vouches for the server */
  readonly authority: string;
  readonly #folder: string;
  /** any service, whose commands make and sign */
  #by: SottoService | undefined;

  static async open(lab: Lab, { namespace }: Internet): Promise<ProfileSource> {
    const authority = await CertificateAuthority.create(lab);
    const { certificate, key } = await authority.issue({ for: [`DNS:${host}`] });
    const source = new ProfileSource(join(lab.directory, 'www'), authority.certificate);
    await mkdir(source.#folder);
    const words = [server, source.#folder, webAddress.v4, certificate, key];
    const program = lab.adopt(await namespace.start(process.execPath, words));
    await program.ready(async () => program.stdout.includes('listening'));
    return source;
  }

  private constructor(folder: string, authority: string) {
    this.#folder = folder;
    this.authority = authority;
  }

  /** For the service that is to be enrolled: it trusts the server. */
  get env(): Record<string, string> {
    return { SSL_CERT_FILE: this.authority };
  }

  /** Signs the next version and puts it where machines look. Returns the file. */
  async publish(by: SottoService, serial: number, settings: object, more: object = {}) {
    const file = join(this.#folder, '..', `corp-${serial}.json`);
    const facts = { id: 'example-corp', serial, issuer: 'Example Corp', name: 'Laptops' };
    await writeFile(file, JSON.stringify({ ...facts, ...more, settings }));
    if (this.#by === undefined) await done(by, 'keygen', this.#key, '--no-password');
    this.#by = by;
    await done(by, 'sign', file, '--key', `${this.#key}.key`);
    for (const end of ['.minisig', '']) await copyFile(`${file}${end}`, this.#www(end));
    await copyFile(`${this.#key}.pub`, this.#www('.pub'));
    return file;
  }

  async enrol(service: SottoService, ...more: string[]): Promise<void> {
    const key = ['--key', `${this.#key}.pub`];
    const verified = await done(service, 'verify', this.#www(''), ...key, '--json');
    const { fingerprint } = JSON.parse(verified) as { fingerprint: string };
    const words = ['enrol', this.address, '--fingerprint', fingerprint, ...more];
    const { code, stderr } = await eventually('the source is reached', async () => {
      const ended = await service.cli('profile', ...words, '--json');
      return !ended.stderr.includes(unreachable) && ended;
    });
    expect({ code, stderr }, words.join(' ')).toEqual({ code: 0, stderr: '' });
  }

  get #key(): string {
    return join(this.#folder, '..', 'corp');
  }

  #www(end: string): string {
    return join(this.#folder, `corp.json${end}`);
  }
}

async function done(service: SottoService, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await service.cli('profile', ...words);
  expect({ code, stderr }, words.join(' ')).toEqual({ code: 0, stderr: '' });
  return stdout;
}

/**
 * The administrator's own machine of the pages for administrators: a network of its own with the resolver and the web server that
 * the pages name, a shell for commands, and SSH to the laptops. /srv is its own, so that the pages' folder is there as they call it.
 */
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot, nodeFlags } from '../../build/places.mjs';
import { commandLine, locate } from '../rig/available.ts';
import { CertificateAuthority } from '../rig/certificates.ts';
import type { Lab } from '../rig/lab.ts';
import { Namespace } from '../rig/network/namespace.ts';
import { Resolver } from '../rig/peers/resolver.ts';
import { type Finished, succeed } from '../rig/process.ts';
import { madePackage } from './made-packages.ts';

export const resolverAddress = '192.0.2.53';
const webAddress = '192.0.2.80';
const names = {
  'www.corp.example': ['A 198.51.100.80'],
  'mail.corp.example': ['A 198.51.100.25'],
  'it.example.com': [`A ${webAddress}`],
};
/** The file as the pages call it. */
export const packageFile = 'sotto_0.1.0_amd64.deb';

export class Office {
  readonly network: Namespace;
  readonly authority: CertificateAuthority;
  readonly resolver: Resolver;
  readonly #lab: Lab;

  static async open(lab: Lab): Promise<Office> {
    const network = await Namespace.create(lab, 'office');
    for (const address of [resolverAddress, webAddress])
      await network.ip('addr', 'add', address, 'dev', 'lo');
    const authority = await CertificateAuthority.create(lab);
    const identity = await authority.issue({ for: ['DNS:dns.corp.example'] });
    const resolver = await Resolver.start(lab, network, {
      addresses: [resolverAddress],
      names,
      identity,
    });
    const office = new Office(lab, network, authority, resolver);
    await office.#serveFiles();
    await office.#furnish();
    return office;
  }

  private constructor(
    lab: Lab,
    network: Namespace,
    authority: CertificateAuthority,
    resolver: Resolver,
  ) {
    this.#lab = lab;
    this.network = network;
    this.authority = authority;
    this.resolver = resolver;
  }

  /** A file of the office. */
  file(...parts: string[]): string {
    return join(this.#lab.directory, ...parts);
  }

  /** The public half of the key with which the office reaches laptops. */
  get publicKey(): string {
    return `${this.file('ssh.key')}.pub`;
  }

  /** A block of commands, whose errors and prompts are part of what it prints. */
  async run(script: string): Promise<Finished> {
    const ownFolder = `mount -t tmpfs tmpfs /srv && mkdir /srv/www && mount --bind '${this.file('www')}' /srv/www`;
    return await this.network.run('/bin/bash', ['-ec', `${ownFolder}\n${asTyped(script)}`], {
      cwd: this.file('work'),
      timeoutMs: 400_000,
      env: {
        PATH: `${this.file('bin')}:${process.env['PATH']}`,
        SOTTO_HOME: this.file('work'),
        ANSIBLE_HOME: this.file('ansible'),
        ANSIBLE_NOCOLOR: '1',
        LC_ALL: 'C.UTF-8',
      },
    });
  }

  /** From now on its shell reaches this machine by its name. */
  knows(laptop: string, address: string): void {
    const entry = `Host ${laptop}\n  HostName ${address}\n`;
    writeFileSync(this.file('ssh.config'), entry, { flag: 'a' });
  }

  async #serveFiles(): Promise<void> {
    mkdirSync(this.file('www'));
    const web = await this.authority.issue({ for: ['DNS:it.example.com'] });
    const words = ['s_server', '-WWW', '-quiet', '-accept', `${webAddress}:443`];
    const identity = ['-cert', web.certificate, '-key', web.key];
    const server = this.#lab.adopt(
      await this.network.start(locate('openssl'), [...words, ...identity], {
        cwd: this.file('www'),
      }),
    );
    await server.ready(async () =>
      (await this.network.run('ss', ['-tln'])).stdout.includes(`${webAddress}:443`),
    );
  }

  /** The programs that the pages use here, the package, and the playbook. */
  async #furnish(): Promise<void> {
    for (const folder of ['work', 'bin']) mkdirSync(this.file(folder));
    const sotto = `'${process.execPath}' ${nodeFlags.join(' ')} '${commandLine}'`;
    this.#program('sotto', `exec ${sotto} "$@"`);
    for (const name of ['ssh', 'scp'])
      this.#program(name, `exec /usr/bin/${name} -F '${this.file('ssh.config')}' "$@"`);
    await succeed('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', this.file('ssh.key')]);
    const everywhere = [
      'User root',
      `IdentityFile ${this.file('ssh.key')}`,
      `UserKnownHostsFile ${this.file('ssh.known')}`,
      'StrictHostKeyChecking accept-new',
      'LogLevel ERROR',
    ];
    writeFileSync(this.file('ssh.config'), `${everywhere.join('\n')}\n`);
    copyFileSync(await madePackage('deb'), this.file('work', packageFile));
    copyFileSync(inRoot('docs/admin/ansible/sotto.yml'), this.file('work', 'sotto.yml'));
  }

  #program(name: string, script: string): void {
    writeFileSync(this.file('bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(this.file('bin', name), 0o755);
  }
}

/** Programs that ask for a password once or twice find the same one. */
export function asTyped(script: string): string {
  return `exec 2>&1 < <(printf 'correct horse\\ncorrect horse\\n')\n${script}`;
}

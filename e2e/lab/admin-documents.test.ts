/**
 * Every command of docs/admin is run as it stands there: on two machines with networks of their own, with a real resolver and a
 * real web server at the addresses that the pages name, and what the pages show has to be printed. The services are those of this
 * repository; instead of installing the package, each is started in a folder of its own.
 */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { inRoot, nodeFlags } from '../../build/places.mjs';
import { commandLine, describeWith, locate } from '../rig/available.ts';
import { CertificateAuthority } from '../rig/certificates.ts';
import { eventually } from '../rig/eventually.ts';
import { Lab } from '../rig/lab.ts';
import { Namespace } from '../rig/network/namespace.ts';
import { Resolver } from '../rig/peers/resolver.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { failsAsTold, isAsTold, type ToldCommands, toldCommands } from '../rig/told-commands.ts';

const names = {
  'www.corp.example': ['A 198.51.100.80'],
  'mail.corp.example': ['A 198.51.100.25'],
};

/** A folder that no test machine has, and the words that a page has in place of a fingerprint. */
const webFolder = '/srv/www/';
const anyFingerprint = 'a1b2 c3d4 …';

/** Some sixty commands, each a program that starts, on a machine that is busy with other tests. */
const patienceMs = 600_000;

const page = (name: string) =>
  toldCommands(readFileSync(inRoot('docs', 'admin', `${name}.md`), 'utf8'));

const needs = ['a lab', 'sotto', 'unbound', 'openssl', 'dig', 'jq'] as const;

describeWith(needs, 'the pages for administrators', () => {
  test(
    'start, recovery and threat model: their commands do what they say',
    async () => {
      await withWorld(async (world) => {
        for (const name of ['start', 'recovery', 'threat-model'])
          for (const told of page(name)) await world.follow(name, told);
      });
    },
    patienceMs,
  );
});

describeWith([...needs, 'ansible-playbook'], 'the pages for administrators', () => {
  test(
    'deployment: a policy and the playbook, once a profile is published',
    async () => {
      await withWorld(async (world) => {
        const start = page('start');
        const published = start.findIndex(({ on }) => on.length > 0);
        for (const told of start.slice(0, published)) await world.follow('start', told);
        world.readyForAnsible();
        for (const told of page('deployment')) await world.follow('deployment', told);
      });
    },
    patienceMs,
  );
});

async function withWorld(run: (world: World) => Promise<void>): Promise<void> {
  const lab = new Lab();
  await lab.open();
  try {
    await run(await World.open(lab));
  } catch (error) {
    console.error(lab.transcripts());
    throw error;
  } finally {
    await lab.close();
  }
}

type Laptops = Map<string, { on: Namespace; service: SottoService }>;

/** The administrator's own machine, on which also resolver and web server run, and two laptops. */
class World {
  readonly #lab: Lab;
  readonly #office: Namespace;
  readonly #laptops: Laptops;
  #fingerprint = '';

  static async open(lab: Lab): Promise<World> {
    const office = await Namespace.create(lab, 'office');
    for (const address of ['192.0.2.53', '192.0.2.80'])
      await office.ip('addr', 'add', address, 'dev', 'lo');
    const authority = await CertificateAuthority.create(lab);
    const resolver = await authority.issue({ for: ['DNS:dns.corp.example'] });
    await Resolver.start(lab, office, { addresses: ['192.0.2.53'], names, identity: resolver });
    const web = await authority.issue({ for: ['DNS:it.example.com'] });
    const folder = join(lab.directory, 'www');
    mkdirSync(folder);
    mkdirSync(join(lab.directory, 'work'));
    const server = lab.adopt(
      await office.start(
        locate('openssl'),
        [
          ...['s_server', '-WWW', '-quiet', '-accept', '192.0.2.80:443'],
          ...['-cert', web.certificate, '-key', web.key],
        ],
        { cwd: folder },
      ),
    );
    await server.ready(async () => (await office.run('ss', ['-tln'])).stdout.includes(':443'));
    const trust = {
      SSL_CERT_FILE: authority.certificate,
      NODE_EXTRA_CA_CERTS: authority.certificate,
    };
    const laptops: Laptops = new Map();
    for (const [index, name] of ['laptop-1', 'laptop-2'].entries()) {
      const on = await Namespace.create(lab, name);
      await cable(office, on, index);
      const service = await SottoService.start(lab, {}, 53, { on, env: trust });
      laptops.set(name, { on, service });
    }
    return new World(lab, office, laptops);
  }

  private constructor(lab: Lab, office: Namespace, laptops: Laptops) {
    this.#lab = lab;
    this.#office = office;
    this.#laptops = laptops;
    const bin = this.#file('bin');
    mkdirSync(bin);
    program(
      join(bin, 'sotto'),
      `exec '${process.execPath}' ${nodeFlags.join(' ')} '${commandLine}' "$@"`,
    );
    // The tests run as root.
    program(join(bin, 'sudo'), 'exec "$@"');
    // One that is asked for a password twice, and once for another.
    writeFileSync(this.#file('passwords'), 'correct horse\n'.repeat(2));
  }

  #file(...parts: string[]): string {
    return join(this.#lab.directory, ...parts);
  }

  async follow(pageName: string, told: ToldCommands): Promise<void> {
    const machines = told.on.length === 0 ? [null] : told.on;
    for (const machine of machines) {
      const { code, printed } = await this.#run(machine, told.script);
      const where = `docs/admin/${pageName}.md:${told.line}${machine === null ? '' : ` on ${machine}`}`;
      expect.soft(code === 0, `${where} ended with ${code}:\n${printed}`).toBe(!failsAsTold(told));
      const isRight = told.prints === null || isAsTold(printed, told.prints);
      expect.soft(isRight, `${where} printed\n${printed}and not\n${told.prints}`).toBe(true);
      this.#fingerprint = /the fingerprint\n {2}(.+)\n/.exec(printed)?.[1] ?? this.#fingerprint;
    }
  }

  async #run(machine: string | null, script: string): Promise<{ code: number; printed: string }> {
    const laptop = machine === null ? null : this.#laptops.get(machine);
    if (laptop === undefined) throw new Error(`there is no ${machine}`);
    const home = laptop?.service.home ?? this.#file('work');
    const here = script
      .replaceAll(webFolder, `${this.#file('www')}/`)
      .replaceAll('/etc/sotto/', `${home}/`)
      .replaceAll(anyFingerprint, this.#fingerprint);
    const { code, stdout } = await (laptop?.on ?? this.#office).run(
      '/bin/bash',
      ['-ec', `exec 2>&1 < '${this.#file('passwords')}'\n${here}`],
      {
        cwd: this.#file('work'),
        timeoutMs: 120_000,
        env: { PATH: `${this.#file('bin')}:${process.env['PATH']}`, SOTTO_HOME: home },
      },
    );
    // Paths of the test are those of the page again.
    const printed = stdout
      .replaceAll(`${home}/`, laptop === null ? '' : '/etc/sotto/')
      .replaceAll(this.#fingerprint || '\0', this.#fingerprint);
    return { code, printed };
  }

  /** Its machines are ours: no SSH leads there, no package is installed, and nobody becomes root. */
  readyForAnsible(): void {
    copyFileSync(inRoot('docs', 'admin', 'ansible', 'sotto.yml'), this.#file('work', 'sotto.yml'));
    const hosts = [...this.#laptops].map(([name, { on, service }]) => {
      const command = this.#file('bin', `sotto-on-${name}`);
      const [ip, words] = on.inside(this.#file('bin', 'sotto'), []);
      program(command, `export SOTTO_HOME='${service.home}'\nexec ${ip} ${words.join(' ')} "$@"`);
      const facts = {
        ansible_connection: 'local',
        ansible_become: false,
        ansible_python_interpreter: '/usr/bin/python3',
        sotto_command: command,
        sotto_policy_folder: join(service.home, 'policy.d'),
      };
      return [name, facts];
    });
    const inventory = { laptops: { hosts: Object.fromEntries(hosts) } };
    writeFileSync(this.#file('ours.yml'), JSON.stringify(inventory));
    program(
      this.#file('bin', 'ansible-playbook'),
      `export ANSIBLE_HOME='${this.#file('ansible')}' ANSIBLE_NOCOLOR=1 LC_ALL=C.UTF-8
exec '${locate('ansible-playbook')}' --inventory '${this.#file('ours.yml')}' --skip-tags package "$@"`,
    );
  }
}

async function cable(office: Namespace, laptop: Namespace, index: number): Promise<void> {
  const [near, far] = [`203.0.113.${4 * index + 1}`, `203.0.113.${4 * index + 2}`];
  const peer = ['type', 'veth', 'peer', 'name', 'eth0', 'netns', laptop.name];
  await office.ip('link', 'add', `to${index}`, ...peer);
  await office.ip('addr', 'add', `${near}/30`, 'dev', `to${index}`);
  await office.ip('link', 'set', `to${index}`, 'up');
  await laptop.ip('addr', 'add', `${far}/30`, 'dev', 'eth0');
  await laptop.ip('link', 'set', 'eth0', 'up');
  await laptop.ip('route', 'add', 'default', 'via', near);
  await eventually('the machine reaches the office', async () => {
    const { stdout } = await laptop.run('ip', ['route', 'get', '192.0.2.53']);
    return stdout.includes('eth0');
  });
}

function program(file: string, script: string): void {
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

/**
 * A machine of the pages for administrators: booted by systemd, cabled to the office, reached by SSH, and without Sotto. The
 * office's certificate authority is one of its own.
 */
import { join, relative } from 'node:path';
import { root } from '../../build/places.mjs';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import { type Finished, run } from '../rig/process.ts';
import { treeOf } from '../rig/unpacked.ts';
import { Computer } from './booted-computer.ts';
import { type InstallTarget, sources } from './install-target.ts';
import { asTyped, type Office, packageFile, resolverAddress } from './told-office.ts';

const sshdUnit = `[Service]
RuntimeDirectory=sshd
ExecStartPre=/bin/sh -c 'test -e /etc/ssh/own.key || ssh-keygen -q -t ed25519 -N "" -f /etc/ssh/own.key'
ExecStart=/usr/sbin/sshd -D -e -f /etc/ssh/own.conf
`;
const sshdSettings = `HostKey /etc/ssh/own.key
AuthorizedKeysFile /etc/ssh/office.pub
StrictModes no
PermitRootLogin yes
UsePAM no
Subsystem sftp internal-sftp
`;

/** $0: the tree of a package; here /lib is a link into /usr. */
const unpacked = `cd "$0"
  for folder in etc usr lib; do
    test ! -d $folder || cp -a $folder/. "$(readlink -f /$folder)"
  done`;

export class Laptop {
  readonly machine: InstallTarget;

  /** `index`: which of the office's laptops it is. */
  static async boot(lab: Lab, office: Office, name: string, index: number): Promise<Laptop> {
    const [near, far] = [`203.0.113.${4 * index + 1}`, `203.0.113.${4 * index + 2}`];
    const before = `nameserver ${resolverAddress}\n`;
    const computer = await Computer.build(lab, before, `198.18.0.${index + 1}/32`, name);
    const { succeed } = computer.network;
    const ip = (...words: string[]) => succeed.call(computer.network, ['ip', ...words]);
    const peer = ['peer', 'name', `to${index}`, 'netns', office.network.name];
    await ip('link', 'add', 'eth0', 'type', 'veth', ...peer);
    await ip('address', 'add', `${far}/30`, 'dev', 'eth0');
    await office.network.ip('address', 'add', `${near}/30`, 'dev', `to${index}`);
    await office.network.ip('link', 'set', `to${index}`, 'up');
    await ip('link', 'set', 'eth0', 'up');
    await ip('route', 'add', 'default', 'via', near);
    const laptop = new Laptop(await computer.boot());
    await laptop.#furnish(office, name, far);
    return laptop;
  }

  private constructor(machine: InstallTarget) {
    this.machine = machine;
  }

  /** A block of commands, whose errors and prompts are part of what it prints. */
  async run(script: string): Promise<Finished> {
    const words = ['/bin/bash', '-ec', `cd /root\n${asTyped(script)}`];
    return await run(...this.machine.inside(['env', 'HOME=/root', ...words]), {
      timeoutMs: 300_000,
    });
  }

  /** The package at hand, the office's authority, SSH and sudo. */
  async #furnish(office: Office, name: string, address: string): Promise<void> {
    const { machine } = this;
    await machine.copyIn(office.file('work', packageFile), `/root/${packageFile}`);
    const authority = '/usr/local/share/ca-certificates/office.crt';
    await machine.copyIn(office.authority.certificate, authority);
    await machine.copyIn(office.publicKey, '/etc/ssh/office.pub');
    await machine.write('/etc/ssh/own.conf', sshdSettings);
    await machine.write('/etc/systemd/system/sshd.service', sshdUnit);
    for (const name of ['openssh-server', 'sudo'] as const)
      await machine.succeed(['sh', '-ec', unpacked, join(sources, relative(root, treeOf(name)))]);
    await machine.write('/usr/lib/sysusers.d/sshd.conf', 'u sshd - "sshd" /run/sshd\n');
    // apt would fetch what a package recommends, and no archive can be reached from here.
    await machine.succeed(['sh', '-c', 'rm -rf /var/lib/apt/lists/*']);
    await machine.succeed(['systemd-sysusers', 'sshd.conf']);
    await machine.succeed(['update-ca-certificates']);
    await machine.succeed(['systemctl', 'daemon-reload']);
    await machine.succeed(['systemctl', 'start', 'sshd.service']);
    office.knows(name, address);
    await eventually(`${name} is reached by SSH`, async () => {
      return (await office.run(`ssh ${name} true`)).code === 0;
    });
  }
}

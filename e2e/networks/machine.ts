/**
 * A computer of its own: links as in a network namespace, and also its own /etc (a copy that tests may change), /var/lib (an
 * overlay over the real one), /run, read-only /sys and system bus. Everything else is shared with the machine that runs the
 * tests.
 */

import { locate } from '../rig/available.ts';
import type { Lab } from '../rig/lab.ts';
import { Namespace } from '../rig/network/namespace.ts';
import { type Finished, Program, run } from '../rig/process.ts';
import { treeOf } from '../rig/unpacked.ts';

/** The user has to exist, so this is a number that Debian gives to none. */
const resolvedUser = 64_990;

/**
 * $1 is where the unpacked systemd-resolved is. /sys is read-only as in a container: otherwise NetworkManager would wait for
 * udev, which does not run, on each link.
 */
const furnish = `set -e
mount -t tmpfs -o mode=755 tmpfs /mnt
cp -a /etc/. /mnt/
mount --move /mnt /etc
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lab/state /run/lab/work
over=lowerdir=/var/lib,upperdir=/run/lab/state,workdir=/run/lab/work
mount -t overlay -o "$over" overlay /var/lib || mount -t tmpfs -o mode=755 tmpfs /var/lib
mkdir -p /var/lib/dhcp
rm -rf /var/lib/NetworkManager/*
mount -o remount,ro /sys
rm -f /etc/resolv.conf /etc/NetworkManager/dispatcher.d/01-ifupdown
: > /etc/resolv.conf
echo 'systemd-resolve:x:${resolvedUser}:${resolvedUser}::/:/usr/sbin/nologin' >> /etc/passwd
echo 'systemd-resolve:x:${resolvedUser}:' >> /etc/group
mkdir -p /run/dbus /run/systemd/resolve /etc/dbus-1/system.d
chown ${resolvedUser}:${resolvedUser} /run/systemd/resolve
if [ -d "$1" ]; then cp "$1"/usr/share/dbus-1/system.d/*.conf /etc/dbus-1/system.d/; fi
echo furnished
exec sleep infinity`;

interface Options {
  env?: Record<string, string>;
}

export class Machine {
  readonly namespace: Namespace;
  readonly #holder: Program;
  readonly #lab: Lab;

  static async create(lab: Lab, purpose: string): Promise<Machine> {
    const namespace = await Namespace.create(lab, purpose);
    const private_ = ['-m', '--propagation', 'private', '/bin/sh', '-c', furnish];
    const holder = await namespace.start('unshare', [
      ...private_,
      'sh',
      treeOf('systemd-resolved'),
    ]);
    const machine = lab.adopt(new Machine(lab, namespace, holder));
    await holder.ready(async () => holder.stdout.includes('furnished'));
    return machine;
  }

  private constructor(lab: Lab, namespace: Namespace, holder: Program) {
    this.#lab = lab;
    this.namespace = namespace;
    this.#holder = holder;
  }

  /** The command line that runs a program here. */
  inside(command: string, args: string[]): [string, string[]] {
    return ['nsenter', ['-t', `${this.#holder.pid}`, '-m', '-n', '--', command, ...args]];
  }

  /** Starts a program here; the lab ends it. */
  async start(command: string, args: string[], options: Options = {}): Promise<Program> {
    return this.#lab.adopt(await Program.start(...this.inside(command, args), options));
  }

  async run(
    command: string,
    args: string[],
    options: Options & { timeoutMs?: number } = {},
  ): Promise<Finished> {
    return await run(...this.inside(command, args), options);
  }

  /** Standard output; any exit code but 0 is an error. */
  async succeed(command: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(command, args);
    if (code !== 0)
      throw new Error(`${command} ${args.join(' ')} ended with ${code}\n${stdout}${stderr}`);
    return stdout;
  }

  async shell(script: string, ...args: string[]): Promise<string> {
    return await this.succeed('/bin/sh', '-ec', script, 'sh', ...args);
  }

  /** `ip` about this machine. */
  async ip(...args: string[]): Promise<string> {
    return await this.namespace.ip(...args);
  }

  /** The system bus; `DBUS_SYSTEM_BUS_ADDRESS` is not needed here, its socket is where everybody looks. */
  async startBus(): Promise<Program> {
    const words = ['--system', '--nofork', '--nopidfile', '--print-address'];
    const bus = await this.start(locate('dbus-daemon'), words);
    await bus.ready(async () => bus.stdout.includes('unix:'));
    return bus;
  }

  /** The file as this machine has it, such as /etc/resolv.conf. */
  async read(path: string): Promise<string> {
    return await this.succeed('cat', path);
  }

  /** Writes the file in place, so that links to it still lead to it. */
  async write(path: string, text: string): Promise<void> {
    await this.shell('mkdir -p "$(dirname "$1")"; printf %s "$2" > "$1"', path, text);
  }

  async stop(): Promise<void> {
    await this.#holder.stop('SIGKILL');
  }
}

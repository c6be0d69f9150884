/**
 * A computer that systemd has started: process 1 of namespaces of its own, over this machine's files, in a group of processes of
 * its own. It may not change the shared kernel: /proc/sys and /sys are read-only there. Its disk and its network outlive it, so
 * that it can be booted again.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../build/places.mjs';
import { eventually } from '../rig/eventually.ts';
import type { Lab } from '../rig/lab.ts';
import { Program } from '../rig/process.ts';
import {
  childrenOf,
  InstallTarget,
  makeRoot,
  mountRoot,
  sources,
  whyNoInstallTarget,
} from './install-target.ts';

const systemd = '/lib/systemd/systemd';
/** A boot takes some seconds, and a minute on a busy machine. */
export const bootMs = 180_000;
const namespaces = ['--mount', '--pid', '--uts', '--ipc', '--cgroup'];
const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];

/** $0: where, $1: resolv.conf, $2: an address of its own. No peer of the tests is started with it, on port 53 first of all. */
const furnish = `
  for target in multi-user network-online timers; do rm -rf "$0/root/etc/systemd/system/$target.target.wants"; done
  rm -f "$0/root/etc/resolv.conf" "$0/root/etc/machine-id" "$0/root/usr/sbin/policy-rc.d"
  rm -f "$0/root/var/lib/man-db/auto-update"
  cp "$1" "$0/root/etc/resolv.conf"
  echo 0123456789abcdef0123456789abcdef >"$0/root/etc/machine-id"
  ln -sf /dev/null "$0/root/etc/systemd/system/systemd-udevd.service"
  umount "$0/root"
  ip link set lo up
  ip address add "$2" dev lo
  exec sleep infinity`;

/** $0: where, $1: the sources, $2: what systemd starts; overlays mounted anew show what an earlier boot changed */
const start = `
  root="$0/root"
  ${mountRoot}
  mount -t tmpfs -o mode=0755 tmpfs "$root/dev"
  for device in ${devices.join(' ')}; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  mount -t proc proc "$root/proc"
  mount --bind "$root/proc/sys" "$root/proc/sys"
  mount -o remount,bind,ro "$root/proc/sys"
  cat /proc/sys/kernel/random/uuid >"$0/boot-id"
  mount --bind "$0/boot-id" "$root/proc/sys/kernel/random/boot_id"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  mount -t tmpfs -o mode=0755 tmpfs "$root/run"
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
  mkdir -p "$root${sources}" "$root/outside"
  mount --bind "$1" "$root${sources}"
  cd "$root"
  pivot_root . outside
  umount -l /outside
  exec env -i container=sotto PATH=/usr/sbin:/usr/bin:/sbin:/bin ${systemd} \\
    --unit="$2" --show-status=no --log-target=console --log-level=notice`;

/** The reason why systemd can't be process 1 here; null: it can. */
export function whyNoSystemd(): string | null {
  const machine = whyNoInstallTarget();
  if (machine !== null) return machine;
  if (!existsSync(systemd)) return `no ${systemd}: apt-get install systemd`;
  const group = ownGroup(`sotto-e2e-try-${process.pid}`);
  if (group === null) return 'no cgroup2 mounted here';
  try {
    mkdirSync(group);
    rmdirSync(group);
    return null;
  } catch {
    return `no group of processes can be made below ${group}`;
  }
}

/** It has an address of its own, at which the network's resolver listens. */
export async function boot(lab: Lab, resolvConf: string, address: string): Promise<InstallTarget> {
  const computer = await Computer.build(lab, resolvConf, address);
  return await computer.boot();
}

/** The last lines of its journal, for a test that failed. */
export async function journalOf(machine: InstallTarget): Promise<string> {
  const command = ['journalctl', '--boot', '--no-pager', '--output=short-precise', '--lines=150'];
  return (await machine.run(command)).stdout;
}

let boots = 0;

export class Computer {
  /** where its disk and its network are, whether it is on or off; for programs that run before it boots */
  readonly network: InstallTarget;
  readonly #lab: Lab;
  readonly #place: string;
  readonly #keeper: number;
  #holder: Program | undefined;

  static async build(
    lab: Lab,
    resolvConf: string,
    address: string,
    name = 'machine',
  ): Promise<Computer> {
    const place = join(lab.directory, name);
    mkdirSync(place);
    chmodSync(lab.directory, 0o755);
    const before = join(lab.directory, `${name}.resolv.conf`);
    writeFileSync(before, resolvConf);
    chmodSync(before, 0o644);
    const own = ['--mount', '--net', '--propagation', 'private'];
    const words = ['/bin/sh', '-ec', `${makeRoot}${furnish}`, place, before, address];
    const keeper = lab.adopt(await Program.start('unshare', [...own, ...words]));
    await keeper.ready(async () => (await commandOf(keeper.pid)) === 'sleep');
    return new Computer(lab, place, keeper);
  }

  private constructor(lab: Lab, place: string, keeper: Program) {
    this.#lab = lab;
    this.#place = place;
    this.#keeper = keeper.pid;
    this.network = new InstallTarget(keeper, keeper.pid);
  }

  async boot(): Promise<InstallTarget> {
    const { machine, started } = await this.switchOn('basic.target');
    await started();
    return machine;
  }

  /** `started`: waits until everything was started that starts at boot. */
  async switchOn(
    target = 'multi-user.target',
  ): Promise<{ machine: InstallTarget; started(): Promise<void> }> {
    // A kernel loses its rules when a computer is switched off; the namespace of this network would keep them.
    await this.network.run(['nft', 'flush', 'ruleset']);
    const lab = this.#lab;
    const group = ownGroup(`sotto-e2e-${process.pid}-${++boots}`) ?? '';
    mkdirSync(group);
    lab.adopt({ stop: () => removeGroup(group) });
    const there = ['--target', `${this.#keeper}`, '--mount', '--net', '--'];
    const apart = ['unshare', ...namespaces, '--propagation', 'private', '--fork', '--kill-child'];
    const holder = lab.adoptUndying(
      await Program.start('/bin/sh', [
        ...['-ec', `echo $$ >"${group}/cgroup.procs"; exec nsenter "$@"`, 'sh', ...there],
        ...[...apart, '/bin/sh', '-ec', start, this.#place, root, target],
      ]),
    );
    this.#holder = holder;
    const pid = await holder.ready(async () => {
      const [child] = childrenOf(holder.pid);
      return child !== undefined && (await commandOf(child)) === 'systemd' && child;
    });
    const machine = new InstallTarget(holder, pid);
    const started = async () => {
      await holder.ready(async () => {
        const { stdout } = await machine.run(['systemctl', 'is-system-running', '--wait']);
        return ['running', 'degraded'].includes(stdout.trim());
      }, bootMs);
    };
    return { machine, started };
  }

  /** Shuts it down in order, as `systemctl reboot` does. */
  async shutDown(machine: InstallTarget): Promise<void> {
    await machine.start(this.#lab, ['systemctl', '--no-block', 'reboot']);
    await this.#holder?.exited;
  }

  async cutPower(): Promise<void> {
    await this.#holder?.stop('SIGKILL');
  }
}

async function commandOf(pid: number): Promise<string> {
  return (await readFile(`/proc/${pid}/comm`, 'utf8')).trim();
}

/** The folder of control groups; null: there is none. */
function ownGroup(name: string): string | null {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const found = mounts.map((line) => line.split(' ')).find(([, , kind]) => kind === 'cgroup2');
  return found?.[1] === undefined ? null : join(found[1], name);
}

/** systemd made groups below it; they are empty once its processes are gone. */
async function removeGroup(group: string): Promise<void> {
  await eventually('no process is left of that computer', () => {
    const events = readFileSync(join(group, 'cgroup.events'), 'utf8');
    return events.includes('populated 0');
  });
  removeFolders(group);
}

function removeFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeFolders(join(folder, entry.name));
  rmdirSync(folder);
}

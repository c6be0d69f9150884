/**
 * A computer that systemd has started: process 1 of namespaces of its own, over this machine's files, in a group of processes of
 * its own. What it may do to the kernel that we share, it may not: /proc/sys and /sys are read-only there.
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
import { repository } from '../system/available.ts';
import { eventually } from '../system/eventually.ts';
import type { Lab } from '../system/lab.ts';
import { Program } from '../system/process.ts';
import { childrenOf, Machine, makeRoot, sources, whyNoMachine } from './machine.ts';

const systemd = '/lib/systemd/systemd';
const namespaces = ['--mount', '--net', '--pid', '--uts', '--ipc', '--cgroup'];
const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'];
/** what a computer does for itself while nobody needs it */
const masked = ['systemd-udevd.service', 'apt-daily.timer', 'apt-daily-upgrade.timer'];

const furnish = `
  root="$0/root"
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
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  mount -t tmpfs -o mode=0755 tmpfs "$root/run"
  mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
  mkdir -p "$root${sources}" "$root/outside"
  mount --bind "$1" "$root${sources}"
  ip link set lo up
  ip address add "$3" dev lo
  rm -f "$root/etc/resolv.conf" "$root/etc/machine-id" "$root/usr/sbin/policy-rc.d"
  rm -f "$root/var/lib/man-db/auto-update"
  cp "$2" "$root/etc/resolv.conf"
  echo 0123456789abcdef0123456789abcdef >"$root/etc/machine-id"
  for unit in ${masked.join(' ')}; do ln -sf /dev/null "$root/etc/systemd/system/$unit"; done
  cd "$root"
  pivot_root . outside
  umount -l /outside
  exec env -i container=sotto PATH=/usr/sbin:/usr/bin:/sbin:/bin ${systemd} \\
    --unit=basic.target --show-status=no --log-target=console --log-level=notice`;

/** null: systemd can be process 1 here. */
export function whyNoSystemd(): string | null {
  const machine = whyNoMachine();
  if (machine !== null) return machine;
  if (!existsSync(systemd)) return `no ${systemd}: apt-get install systemd`;
  const group = ownGroup('sotto-e2e-try');
  if (group === null) return 'no cgroup2 mounted here';
  try {
    mkdirSync(group);
    rmdirSync(group);
    return null;
  } catch {
    return `no group of processes can be made below ${group}`;
  }
}

/** With an address of its own, where the network's resolver is. */
export async function boot(lab: Lab, resolvConf: string, address: string): Promise<Machine> {
  const place = join(lab.directory, 'machine');
  mkdirSync(place);
  chmodSync(lab.directory, 0o755);
  const before = join(lab.directory, 'resolv.conf');
  writeFileSync(before, resolvConf);
  chmodSync(before, 0o644);
  const group = ownGroup(`sotto-e2e-${process.pid}`) ?? '';
  mkdirSync(group);
  lab.adopt({ stop: () => removeGroup(group) });
  const enterGroup = `echo $$ >"${group}/cgroup.procs"; exec unshare "$@"`;
  const holder = await Program.start('/bin/sh', [
    ...[
      '-ec',
      enterGroup,
      'sh',
      ...namespaces,
      '--propagation',
      'private',
      '--fork',
      '--kill-child',
    ],
    ...['/bin/sh', '-ec', `${makeRoot}${furnish}`, place, repository, before, address],
  ]);
  lab.adopt(holder);
  const pid = await holder.ready(async () => {
    const [child] = childrenOf(holder.pid);
    const program = child === undefined ? '' : await readFile(`/proc/${child}/comm`, 'utf8');
    return program.trim() === 'systemd' && child;
  });
  const machine = new Machine(holder, pid);
  await holder.ready(async () => {
    const { stdout } = await machine.run(['systemctl', 'is-system-running', '--wait']);
    return ['running', 'degraded'].includes(stdout.trim());
  }, 30_000);
  return machine;
}

/** Where groups of processes are made; null: there is no such place. */
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

/** Debian's resolvconf or openresolv, installed on a machine, where no other machine sees it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { treeOf } from '../rig/unpacked.ts';
import type { Machine } from './machine.ts';

export async function installResolvconf(
  machine: Machine,
  name: 'resolvconf' | 'openresolv',
): Promise<void> {
  const tree = treeOf(name);
  await overlayUsr(machine);
  await machine.shell('cp -a "$1"/etc/. /etc; cp "$1"/sbin/resolvconf /usr/sbin', tree);
  for (const folder of ['lib/resolvconf', 'usr/share/resolvconf'])
    if (existsSync(join(tree, folder)))
      await machine.shell('mkdir -p "/$2"; cp -a "$1/$2/." "/$2"', tree, folder);
  if (name === 'resolvconf')
    await machine.shell(
      `mkdir -p /run/resolvconf/interface; touch /run/resolvconf/enable-updates
       ln -sfn /run/resolvconf /etc/resolvconf/run
       ln -sf ../run/resolvconf/resolv.conf /etc/resolv.conf`,
    );
}

/** Changes to /usr stay in this machine. */
export async function overlayUsr(machine: Machine): Promise<void> {
  await machine.shell(
    `mkdir -p /run/over /run/work
     mount -t overlay overlay -o lowerdir=/usr,upperdir=/run/over,workdir=/run/work /usr`,
  );
}

/** A hook of another package may fail, as unbound's does where unbound is not running. */
export async function addRecord(machine: Machine, record: string, lines: string): Promise<void> {
  await machine.shell('printf "%s\\n" "$2" | /usr/sbin/resolvconf -a "$1" || :', record, lines);
}

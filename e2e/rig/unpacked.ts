/**
 * Debian packages that are unpacked and never installed: systemd-resolved, because its installation would replace the machine's
 * own /etc/resolv.conf, and programs that only tests need.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../build/places.mjs';

/** `isc-dhcp-client` is dhclient, `tayga` translates IPv6 to IPv4, `libnss3-tools` has certutil, `openssh-server` sshd. */
const unpackedPackages = [
  'systemd-resolved',
  'tayga',
  'isc-dhcp-client',
  'libnss3-tools',
  'resolvconf',
  'openresolv',
  'ifupdown',
  'openssh-server',
  'sudo',
] as const;
export type UnpackedPackage = (typeof unpackedPackages)[number];

export function isUnpackedPackage(name: string): name is UnpackedPackage {
  return unpackedPackages.some((each) => each === name);
}

const kept = join(root, 'target/peers');
const reasons = new Map<UnpackedPackage, string | null>();

/** Below it the tree is as in the package: lib/systemd/systemd-resolved, usr/sbin/tayga, … */
export function treeOf(name: UnpackedPackage): string {
  return join(kept, name);
}

/** Null where it is unpacked; downloads it once. */
export function whyNotUnpacked(name: UnpackedPackage): string | null {
  const known = reasons.get(name);
  if (known !== undefined) return known;
  const reason = existsSync(treeOf(name)) ? null : download(name);
  reasons.set(name, reason);
  return reason;
}

/** Several test runs may do this at once; the first that is done wins. */
function download(name: UnpackedPackage): string | null {
  if (!existsSync('/usr/bin/apt-get')) return `no ${name}: only Debian's package is known here`;
  mkdirSync(kept, { recursive: true });
  const folder = mkdtempSync(join(kept, `${name}-`));
  try {
    run('apt-get', ['download', name], folder);
    const [file = ''] = readdirSync(folder);
    run('dpkg', ['-x', file, 'tree'], folder);
    renameSync(join(folder, 'tree'), treeOf(name));
  } catch (error) {
    if (!existsSync(treeOf(name)))
      return `no ${name}: apt-get download failed: ${(error as Error).message.trim()}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return null;
}

function run(command: string, args: string[], cwd: string): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'], timeout: 60_000 });
}

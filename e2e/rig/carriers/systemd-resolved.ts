/** The real systemd-resolved, with folders of its own in which it finds its settings, and without a bus. */
import { join } from 'node:path';
import type { Lab } from '../lab.ts';
import { freePort } from '../ports.ts';
import { Program, succeed } from '../process.ts';
import { type Endpoint, text } from '../raw-client.ts';
import { treeOf } from '../unpacked.ts';
import { type CarrierKind, responds } from './carrier.ts';

/** The user has to exist, so this is a number that Debian gives to none. */
const user = 64_990;

/** $1: the program, $2: its settings */
const furnish = `set -e
mount -t tmpfs -o mode=755 tmpfs /mnt
cp -a /etc/. /mnt/
mount --move /mnt /etc
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /etc/systemd /run/systemd/resolve
rm -f /etc/resolv.conf
: > /etc/resolv.conf
printf '%s\\n' "$2" > /etc/systemd/resolved.conf
echo 'systemd-resolve:x:${user}:${user}::/:/usr/sbin/nologin' >> /etc/passwd
echo 'systemd-resolve:x:${user}:' >> /etc/group
chown ${user}:${user} /run/systemd/resolve
exec "$1"`;

export const systemdResolved: CarrierKind = {
  title: 'systemd-resolved',
  needs: ['systemd-resolved', 'a lab'],
  packages: ['systemd-resolved'],
  options: [],
  start: async (lab: Lab, server: Endpoint) => {
    const at = { address: '127.0.0.1', port: await freePort() };
    const settings = [
      '[Resolve]',
      `DNS=${text(server)}`,
      'Domains=~.',
      'FallbackDNS=',
      'LLMNR=no',
      'MulticastDNS=no',
      'DNSStubListener=no',
      `DNSStubListenerExtra=${text(at)}`,
    ].join('\n');
    const words = ['-m', '--propagation', 'private', '/bin/sh', '-c', furnish, 'sh'];
    const program = await Program.start('unshare', [...words, file(), settings]);
    await responds(at, lab.adopt(program));
    return at;
  },
};

/** Such as `252.39-1~deb12u2`. */
export async function resolvedVersion(): Promise<string> {
  const told = await succeed(file(), ['--version']);
  return /\((.+)\)/.exec(told)?.[1] ?? 'unknown';
}

function file(): string {
  return join(treeOf('systemd-resolved'), 'lib/systemd/systemd-resolved');
}

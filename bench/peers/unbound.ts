import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Program } from '../../e2e/rig/process.ts';
import { fromDebian, packageVersion, programPath } from '../debian.ts';
import type { Peer, Place } from '../peer.ts';

export const unbound: Peer = {
  id: 'unbound',
  title: 'unbound',
  kind: 'peer',
  caches: true,
  forwards: true,
  setup:
    'one thread (default); caches raised from 4 + 4 MB so that 100,000 answers fit; no validation (the upstream signs nothing)',
  provide: () => fromDebian('unbound', 'unbound'),
  version: () => packageVersion('unbound'),
  async start(place) {
    const configuration = join(place.directory, 'unbound.conf');
    await writeFile(configuration, unboundConfiguration(place));
    return await Program.start(programPath('unbound'), ['-d', '-p', '-c', configuration]);
  },
};

function unboundConfiguration({ directory, port, upstream }: Place): string {
  return [
    'server:',
    '  verbosity: 0',
    '  use-syslog: no',
    '  username: ""',
    '  chroot: ""',
    `  directory: "${directory}"`,
    '  pidfile: ""',
    '  do-daemonize: no',
    `  interface: 127.0.0.1@${port}`,
    '  do-not-query-localhost: no',
    '  module-config: "iterator"',
    '  msg-cache-size: 64m',
    '  rrset-cache-size: 64m',
    `  tls-cert-bundle: "${upstream.ca}"`,
    'remote-control:',
    '  control-enable: no',
    'forward-zone:',
    '  name: "."',
    '  forward-tls-upstream: yes',
    `  forward-addr: 127.0.0.1@${upstream.port}#${upstream.name}`,
  ].join('\n');
}

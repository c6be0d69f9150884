import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programPath } from '../../../../bench/debian.ts';
import { unbound as peer } from '../../../../bench/peers/unbound.ts';
import { peerProgram, type Seat } from '../program.ts';

export const unbound = peerProgram(peer, 'defaults; no validation', async (seat) => {
  const configuration = join(seat.directory, 'unbound.conf');
  await writeFile(configuration, unboundConfiguration(seat));
  return { command: programPath('unbound'), args: ['-d', '-p', '-c', configuration] };
});

function unboundConfiguration({ directory, port, upstream }: Seat): string {
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
    '  module-config: "iterator"',
    `  tls-cert-bundle: "${upstream.ca}"`,
    'remote-control:',
    '  control-enable: no',
    'forward-zone:',
    '  name: "."',
    '  forward-tls-upstream: yes',
    `  forward-addr: ${upstream.address}@853#${upstream.name}`,
    '',
  ].join('\n');
}

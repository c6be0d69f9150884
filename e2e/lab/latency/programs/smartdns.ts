import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programPath } from '../../../../bench/debian.ts';
import { smartdns as peer } from '../../../../bench/peers/smartdns.ts';
import { peerProgram, type Seat } from '../program.ts';

const setup =
  'probing of answered addresses, prefetch and logs off, since they would send packets of their own';

export const smartdns = peerProgram(peer, setup, async (seat) => {
  const configuration = join(seat.directory, 'smartdns.conf');
  await writeFile(configuration, smartdnsConfiguration(seat));
  const args = ['-f', '-p', '-', '-c', configuration];
  return { command: programPath('smartdns'), args };
});

function smartdnsConfiguration({ directory, port, upstream }: Seat): string {
  return [
    `bind 127.0.0.1:${port}`,
    'cache-persist no',
    `cache-file ${directory}/smartdns.cache`,
    'prefetch-domain no',
    'serve-expired no',
    'speed-check-mode none',
    'dualstack-ip-selection no',
    'log-level fatal',
    `log-file ${directory}/smartdns.log`,
    'audit-enable no',
    `ca-file ${upstream.ca}`,
    `server-tls ${upstream.address}:853 -host-name ${upstream.name} -tls-host-verify ${upstream.name}`,
    '',
  ].join('\n');
}

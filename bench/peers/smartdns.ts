import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Program } from '../../e2e/rig/process.ts';
import { fromDebian, packageVersion, programPath } from '../debian.ts';
import { cacheEntries, type Peer, type Place } from '../peer.ts';

export const smartdns: Peer = {
  id: 'smartdns',
  title: 'smartdns',
  kind: 'peer',
  caches: true,
  forwards: true,
  setup:
    'one thread (default); cache of 100,000; probing of answered addresses, prefetch and logs off, since they would send packets of their own',
  provide: () => fromDebian('smartdns', 'smartdns'),
  version: () => packageVersion('smartdns'),
  async start(place) {
    const configuration = join(place.directory, 'smartdns.conf');
    await writeFile(configuration, smartdnsConfiguration(place, [`cache-size ${cacheEntries}`]));
    const options = ['-f', '-p', '-', '-c', configuration];
    return await Program.start(programPath('smartdns'), options);
  },
};

/** `besides`: further settings. */
export function smartdnsConfiguration(
  { directory, port, upstream }: Place,
  besides: string[] = [],
): string {
  return [
    `bind 127.0.0.1:${port}`,
    ...besides,
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
    `server-tls ${upstream.address}:${upstream.port} -host-name ${upstream.name} -tls-host-verify ${upstream.name}`,
    '',
  ].join('\n');
}

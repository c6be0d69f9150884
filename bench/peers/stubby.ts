import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Program } from '../../e2e/rig/process.ts';
import { fromDebian, packageVersion, programPath } from '../debian.ts';
import type { Peer, Place } from '../peer.ts';

export const stubby: Peer = {
  id: 'stubby',
  title: 'stubby',
  kind: 'peer',
  caches: false,
  forwards: true,
  setup: 'one thread (default); it has no cache, so every answer is forwarded',
  provide: () => fromDebian('stubby', 'stubby'),
  version: () => packageVersion('stubby'),
  async start(place) {
    const configuration = join(place.directory, 'stubby.yml');
    await writeFile(configuration, stubbyConfiguration(place, ['round_robin_upstreams: 0']));
    return await Program.start(programPath('stubby'), ['-C', configuration]);
  },
};

/** `besides`: further settings. */
export function stubbyConfiguration(
  { directory, port, upstream }: Place,
  besides: string[],
): string {
  return [
    'resolution_type: GETDNS_RESOLUTION_STUB',
    'dns_transport_list:',
    '  - GETDNS_TRANSPORT_TLS',
    'tls_authentication: GETDNS_AUTHENTICATION_REQUIRED',
    `tls_ca_file: "${upstream.ca}"`,
    `appdata_dir: "${directory}"`,
    'tls_query_padding_blocksize: 128',
    'idle_timeout: 10000',
    ...besides,
    'listen_addresses:',
    `  - 127.0.0.1@${port}`,
    'upstream_recursive_servers:',
    `  - address_data: ${upstream.address}`,
    `    tls_port: ${upstream.port}`,
    `    tls_auth_name: "${upstream.name}"`,
    '',
  ].join('\n');
}

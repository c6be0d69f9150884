import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programPath } from '../../../../bench/debian.ts';
import { stubby as peer } from '../../../../bench/peers/stubby.ts';
import { peerProgram, type Seat } from '../program.ts';

const setup = 'as Debian configures it: padding, idle after 10 s; it has no cache';

export const stubby = peerProgram(peer, setup, async (seat) => {
  const configuration = join(seat.directory, 'stubby.yml');
  await writeFile(configuration, stubbyConfiguration(seat));
  return { command: programPath('stubby'), args: ['-C', configuration] };
});

function stubbyConfiguration({ directory, port, upstream }: Seat): string {
  return [
    'resolution_type: GETDNS_RESOLUTION_STUB',
    'dns_transport_list:',
    '  - GETDNS_TRANSPORT_TLS',
    'tls_authentication: GETDNS_AUTHENTICATION_REQUIRED',
    `tls_ca_file: "${upstream.ca}"`,
    `appdata_dir: "${directory}"`,
    'tls_query_padding_blocksize: 128',
    'edns_client_subnet_private: 1',
    'idle_timeout: 10000',
    'round_robin_upstreams: 1',
    'listen_addresses:',
    `  - 127.0.0.1@${port}`,
    'upstream_recursive_servers:',
    `  - address_data: ${upstream.address}`,
    '    tls_port: 853',
    `    tls_auth_name: "${upstream.name}"`,
    '',
  ].join('\n');
}

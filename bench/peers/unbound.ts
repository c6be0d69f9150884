import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unboundConfiguration, zoneElsewhere } from '../../e2e/rig/peers/unbound-configuration.ts';
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
    'one thread (default); caches raised from 4 + 4 MB so that 100,000 answers fit; queries waiting on one connection raised from 200 to the 1,000 that the upstream takes; no validation (the upstream signs nothing)',
  provide: () => fromDebian('unbound', 'unbound'),
  version: () => packageVersion('unbound'),
  async start(place) {
    const configuration = join(place.directory, 'unbound.conf');
    const larger = [
      'msg-cache-size: 64m',
      'rrset-cache-size: 64m',
      'do-not-query-localhost: no',
      'max-reuse-tcp-queries: 1000',
    ];
    await writeFile(configuration, forwardingUnbound(place, larger));
    return await Program.start(programPath('unbound'), ['-d', '-p', '-c', configuration]);
  },
};

/** `besides`: further lines about the server. */
export function forwardingUnbound(
  { directory, port, upstream }: Place,
  besides: string[] = [],
): string {
  const address = `${upstream.address}@${upstream.port}#${upstream.name}`;
  return unboundConfiguration({
    interfaces: [`127.0.0.1@${port}`],
    server: [
      'verbosity: 0',
      `directory: "${directory}"`,
      'do-daemonize: no',
      `tls-cert-bundle: "${upstream.ca}"`,
      ...besides,
    ],
    clauses: zoneElsewhere('forward', '.', 'forward-tls-upstream: yes', `forward-addr: ${address}`),
  });
}

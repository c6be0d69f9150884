import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Program } from '../../e2e/rig/process.ts';
import { fromDebian, packageVersion, programPath } from '../debian.ts';
import { cacheEntries, type Peer, type Place } from '../peer.ts';

export const dnsdist: Peer = {
  id: 'dnsdist',
  title: 'dnsdist',
  kind: 'peer',
  caches: true,
  forwards: true,
  setup:
    'one UDP thread and ten TLS threads (default); packet cache of 100,000; out-of-order answers of the upstream allowed (default: one query a connection)',
  provide: () => fromDebian('dnsdist', 'dnsdist'),
  version: () => packageVersion('dnsdist'),
  async start(place) {
    const configuration = join(place.directory, 'dnsdist.conf');
    await writeFile(configuration, dnsdistConfiguration(place));
    const options = ['-C', configuration, '--supervised', '--disable-syslog'];
    return await Program.start(programPath('dnsdist'), options);
  },
};

export function dnsdistConfiguration({ port, upstream }: Place): string {
  const server = [
    `address = "${upstream.address}:${upstream.port}"`,
    'tls = "openssl"',
    `subjectName = "${upstream.name}"`,
    `caStore = "${upstream.ca}"`,
    'validateCertificates = true',
    'maxInFlight = 1000',
    // dnsdist queries this name each second, and counts an upstream that does not know it as down.
    'checkName = "up.example."',
  ];
  return [
    `setLocal("127.0.0.1:${port}")`,
    `newServer({ ${server.join(', ')} })`,
    `getPool(""):setCache(newPacketCache(${cacheEntries}))`,
    'setSecurityPollSuffix("")',
  ].join('\n');
}

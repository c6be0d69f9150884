import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from '../../../../bench/debian.ts';
import { cacheEntries } from '../../../../bench/peer.ts';
import { dnsdist as peer } from '../../../../bench/peers/dnsdist.ts';
import { peerProgram, type Seat } from '../program.ts';

const setup =
  'packet cache of 100,000 (default: none); out-of-order answers of the upstream allowed (default: one question a connection); health checks as by default. Its ten threads have a connection each';

export const dnsdist = peerProgram(peer, setup, async (seat) => {
  const configuration = join(seat.directory, 'dnsdist.conf');
  await writeFile(configuration, dnsdistConfiguration(seat));
  const args = ['-C', configuration, '--supervised', '--disable-syslog'];
  return { command: locate('dnsdist') ?? 'dnsdist', args };
});

function dnsdistConfiguration({ port, upstream }: Seat): string {
  const server = [
    `address = "${upstream.address}:853"`,
    'tls = "openssl"',
    `subjectName = "${upstream.name}"`,
    `caStore = "${upstream.ca}"`,
    'validateCertificates = true',
    'maxInFlight = 1000',
  ];
  return [
    `setLocal("127.0.0.1:${port}")`,
    `newServer({ ${server.join(', ')} })`,
    `getPool(""):setCache(newPacketCache(${cacheEntries}))`,
    'setSecurityPollSuffix("")',
  ].join('\n');
}

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programPath } from '../../../../bench/debian.ts';
import { dnsdistConfiguration, dnsdist as peer } from '../../../../bench/peers/dnsdist.ts';
import { peerProgram } from '../program.ts';

const setup =
  'packet cache of 100,000 (default: none); out-of-order answers of the upstream allowed (default: one question a connection); health checks as by default. Its ten threads have a connection each';

export const dnsdist = peerProgram(peer, setup, async ({ directory, port, upstream }) => {
  const configuration = join(directory, 'dnsdist.conf');
  await writeFile(
    configuration,
    dnsdistConfiguration(port, { ...upstream, address: `${upstream.address}:853` }),
  );
  const args = ['-C', configuration, '--supervised', '--disable-syslog'];
  return { command: programPath('dnsdist'), args };
});

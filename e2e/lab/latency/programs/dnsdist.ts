import { dnsdistConfiguration, dnsdist as peer } from '../../../../bench/peers/dnsdist.ts';
import { peerProgram } from '../program.ts';

const setup =
  'packet cache of 100,000 (default: none); out-of-order answers of the upstream allowed (default: one query a connection); health checks as by default. Its ten threads have a connection each';

export const dnsdist = peerProgram(peer, setup, {
  file: 'dnsdist.conf',
  settings: dnsdistConfiguration,
  args: (file) => ['-C', file, '--supervised', '--disable-syslog'],
});

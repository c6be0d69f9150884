import {
  dnsproxyCommand,
  dnsproxySettings,
  dnsproxy as peer,
} from '../../../../bench/peers/dnsproxy.ts';
import { peerProgram } from '../program.ts';

const setup = 'its cache on, and nothing else beside the default';

export const dnsproxy = peerProgram(peer, setup, {
  file: 'dnsproxy.yaml',
  settings: dnsproxySettings,
  args: (file) => [`--config-path=${file}`],
  command: dnsproxyCommand,
  env: ({ upstream }) => ({ SSL_CERT_FILE: upstream.ca }),
});

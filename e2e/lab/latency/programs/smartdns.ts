import { smartdns as peer, smartdnsConfiguration } from '../../../../bench/peers/smartdns.ts';
import { peerProgram } from '../program.ts';

const setup =
  'probing of answered addresses, prefetch and logs off, since they would send packets of their own';

export const smartdns = peerProgram(peer, setup, {
  file: 'smartdns.conf',
  settings: (seat) => smartdnsConfiguration(seat),
  args: (file) => ['-f', '-p', '-', '-c', file],
});

import { forwardingUnbound, unbound as peer } from '../../../../bench/peers/unbound.ts';
import { peerProgram } from '../program.ts';

export const unbound = peerProgram(peer, 'defaults; no validation', {
  file: 'unbound.conf',
  settings: (seat) => forwardingUnbound(seat),
  args: (file) => ['-d', '-p', '-c', file],
});

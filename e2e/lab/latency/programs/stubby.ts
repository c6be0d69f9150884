import { stubby as peer, stubbyConfiguration } from '../../../../bench/peers/stubby.ts';
import { peerProgram } from '../program.ts';

const setup = 'as Debian configures it: padding, idle after 10 s; it has no cache';
const asDebian = ['edns_client_subnet_private: 1', 'round_robin_upstreams: 1'];

export const stubby = peerProgram(peer, setup, {
  file: 'stubby.yml',
  settings: (seat) => stubbyConfiguration(seat, asDebian),
  args: (file) => ['-C', file],
});

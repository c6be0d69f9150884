import { Program, succeed } from '../../e2e/rig/process.ts';
import { builtPath, compile } from '../compiler.ts';
import type { Peer } from '../peer.ts';

export const floor: Peer = {
  id: 'floor',
  title: 'bare recvmmsg loop',
  kind: 'floor',
  caches: true,
  forwards: false,
  setup:
    'one thread; one answer made beforehand, only the id is copied: what the system calls cost',
  provide: () => compile('floor'),
  version: async () => (await succeed('cc', ['--version'])).split('\n')[0] ?? '',
  start: ({ port }) => Program.start(builtPath('floor'), [String(port)]),
};

/** Knot Resolver, which validates nothing and looks for no news of the root. */
import type { Lab } from '../lab.ts';
import type { Endpoint } from '../raw-client.ts';
import { startCarrier } from './carrier.ts';

/** `lines`: of its configuration, besides. */
export async function startKnotResolver(lab: Lab, lines: string[]): Promise<Endpoint> {
  return await startCarrier(lab, 'kresd', ({ address, port }) => ({
    file: [
      'kresd.conf',
      [
        `net.listen('${address}', ${port}, { kind = 'dns' })`,
        'cache.size = 10 * MB',
        "trust_anchors.remove('.')",
        "modules.unload('ta_update')",
        "modules.unload('priming')",
        "modules.load('hints > iterate')",
        ...lines,
      ].join('\n'),
    ],
    words: ['-n', '-c', 'kresd.conf', '.'],
  }));
}

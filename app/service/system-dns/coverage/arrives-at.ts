/** Whether a query to this address, on port 53 over UDP, arrives at our engine: it is for a name that nobody else has. */
import { Resolver } from 'node:dns/promises';
import type { EngineDriver } from '../../engine/engine-driver.ts';

const tryMs = 1000;
/** What listens there may have been started just now. */
const tries = 3;

export async function arrivesAt(
  engine: Pick<EngineDriver, 'expectProbe' | 'probeArrived'>,
  address: string,
): Promise<boolean> {
  const name = engine.expectProbe();
  const resolver = new Resolver({ timeout: tryMs, tries });
  resolver.setServers([address]);
  await resolver.resolve4(name).catch(() => {});
  return engine.probeArrived(name);
}

/** Which resolvers a look may use, and for which names. Both are known, and in force in the engine, before anything is sent. */
import { isIP } from 'node:net';
import type { PortalFacts } from '../protection/portal-facts.ts';
import { hostOf } from './evidence.ts';
import type { ManagerView } from './network-manager.ts';
import type { Place } from './place.ts';
import { readApiAddress } from './portal-api.ts';

/** What the program that configures the link says: NetworkManager's view, and the API's address. */
export interface Told {
  manager: ManagerView;
  api: string | null;
}

interface WhomToAsk {
  /** "none": the network says that it wants no login */
  api: ReturnType<typeof readApiAddress>;
  asks: NonNullable<PortalFacts['asks']>;
}

/** `servers`: the system's own resolvers, for a link that tells none. */
export function whomToAsk(
  { manager, api: written }: Told,
  { resolvers }: Pick<Place, 'resolvers'>,
  servers: () => string[],
  probes: readonly { url: string }[],
): WhomToAsk {
  const api = readApiAddress(written ?? manager.apiAddress ?? '');
  const pages = probes.map(({ url }) => url);
  return {
    api,
    asks: {
      resolvers: resolvers.length > 0 ? resolvers : servers(),
      probes: namesIn(api instanceof URL ? [...pages, api.href] : pages),
    },
  };
}

function namesIn(urls: readonly string[]): string[] {
  return [...new Set(urls.map(hostOf))].filter((host) => isIP(host) === 0);
}

/**
 * The system's own resolvers, which programs would use without Sotto: read anew each time, however much of the system we hold.
 */
import type { EffectiveSettings } from '../settings/load-settings.ts';
import { type HeldLink, resolversBehindUs } from './behind-us.ts';
import type { CurrentNetwork } from './current-network.ts';
import { systemResolvers } from './system-resolvers.ts';

export interface OwnResolvers {
  /** "ip:port" each */
  under(effective: EffectiveSettings): string[];
  /** The links that we have set, and their settings from before. */
  weHold(links: readonly HeldLink[]): void;
}

export function createOwnResolvers(network: Pick<CurrentNetwork, 'snapshot'>): OwnResolvers {
  let held: readonly HeldLink[] = [];
  return {
    under: ({ settings: { systemResolvers: setting, listen } }) =>
      systemResolvers(setting, listen, resolversBehindUs(network.snapshot(), held)),
    weHold(links) {
      held = links;
    },
  };
}

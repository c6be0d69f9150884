/** The mechanisms of this system, in order of preference: one that controls others comes before them. */
import type { ResolversOnBus } from '../network/resolvers-on-bus.ts';
import { helperAt } from './helper.ts';
import type { Mechanism } from './mechanism.ts';
import { networkManagerMechanism } from './network-manager.ts';
import { neverRunMechanisms } from './never-run/never-run.ts';
import { resolvConfFileMechanism } from './resolv-conf-file.ts';
import { resolvconfMechanism } from './resolvconf.ts';
import { resolvedMechanism } from './resolved.ts';
import type { AskBus } from './system-bus.ts';

export function mechanismsHere(
  bus: Pick<ResolversOnBus, 'onChange' | 'current'>,
  ask: AskBus,
  platform: NodeJS.Platform = process.platform,
): Mechanism[] {
  if (platform !== 'linux') return neverRunMechanisms(platform);
  const helper = helperAt();
  return [
    resolvedMechanism(helper, bus, ask),
    networkManagerMechanism(helper, bus, ask),
    resolvconfMechanism(helper),
    resolvConfFileMechanism(helper),
  ];
}

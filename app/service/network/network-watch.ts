/** Which network this machine is on: one interface, one file a system, one fake. */
import { fail, type Result } from '../../contract/errors.ts';
import type { HeldLink } from './behind-us.ts';
import { type NetworkAddon, watchLinux } from './linux-network-watch.ts';
import type { NetworkSnapshot } from './network-snapshot.ts';
import type { ResolversOnBus } from './resolvers-on-bus.ts';

export interface NetworkWatch {
  current(): NetworkSnapshot;
  /** Each takes a listener and gives back the function that ends it. */
  onChange(listener: (snapshot: NetworkSnapshot) => void): () => void;
  /** The machine slept, whatever it did to the network. */
  onWake(listener: (sleptMs: number) => void): () => void;
  /** Somebody set the wall clock: forward where positive. */
  onClockSet(listener: (byMs: number) => void): () => void;
  /** The addon's engine is told at once what makes its connections useless, before anybody knows what it will come to. */
  warn(engine: object): void;
  /** These links name us now: they tell what they told before. */
  weHold(links: readonly HeldLink[]): void;
  close(): void;
}

/** That a system has no watch is a fact to show (`network.list` does), and no reason not to start. */
export function watchNetwork(
  addon: NetworkAddon,
  bus: ResolversOnBus,
  platform: NodeJS.Platform = process.platform,
): Result<NetworkWatch> {
  switch (platform) {
    case 'linux':
      return watchLinux(addon, bus);
    // macOS: SCDynamicStore and IOKit's power notifications; Windows: NotifyIpInterfaceChange and
    // PowerRegisterSuspendResumeNotification. Each will be a file like linux-network-watch.ts.
    default:
      return fail(
        'internal',
        `the network can't be watched on ${platform}`,
        'networks are not told apart here; the settings hold on all of them',
      );
  }
}

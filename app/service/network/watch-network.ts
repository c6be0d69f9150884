/** The network watch of this system. */

import { fail, type Result } from '../../contract/errors.ts';
import type { EngineAddon } from '../engine/engine-addon.ts';
import { watchLinux } from './linux-network-watch.ts';
import type { NetworkWatch } from './network-watch.ts';
import type { ResolversOnBus } from './resolvers-on-bus.ts';

/** A system without a watch is a fact to show (`network.list` does), and no reason not to start. */
export function watchNetwork(
  addon: Required<Pick<EngineAddon, 'NetworkWatch'>>,
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

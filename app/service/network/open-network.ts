/**
 * Opens the present network, and the memory of networks. Where the system's network can't be watched, one network stands for
 * all.
 */
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { sayErrno } from '../base/errno-words.ts';
import type { EngineAddon } from '../engine/engine-addon.ts';
import { type CurrentNetwork, followNetwork } from './current-network.ts';
import { nothingOnBus } from './link-resolvers.ts';
import { type NetworkMemory, openNetworkMemory } from './network-memory.ts';
import { emptySnapshot } from './network-snapshot.ts';
import type { NetworkWatch } from './network-watch.ts';
import { type ResolversOnBus, watchResolversOnBus } from './resolvers-on-bus.ts';
import { watchNetwork } from './watch-network.ts';

export interface OpenNetwork {
  network: CurrentNetwork;
  memory: NetworkMemory;
  watch: NetworkWatch;
  /** what systemd-resolved and NetworkManager say */
  bus: Pick<ResolversOnBus, 'current' | 'onChange'>;
  /** why this system's network can't be watched; null where it is */
  unavailable: string | null;
  close(): void;
}

export function openNetwork(
  addon: EngineAddon,
  file: string,
  now: () => number,
): Result<OpenNetwork> {
  let memory: NetworkMemory;
  try {
    memory = openNetworkMemory(file, now);
  } catch (error) {
    return fail(
      'state-unwritable',
      `can't open ${file}: ${sayErrno(error)}`,
      'check who owns its folder, and that the disk has room',
      file,
    );
  }
  const bus = process.platform === 'linux' ? watchResolversOnBus(addon) : noBus;
  const { watch, unavailable } = tryWatch(addon, bus);
  const followed = followNetwork(watch, memory);
  const network =
    unavailable === null
      ? followed
      : { ...followed, label: () => 'a network that is not watched', leadsTo: () => true };
  return succeed({
    network,
    memory,
    watch,
    bus,
    unavailable,
    close() {
      network.close();
      watch.close();
      bus.close();
      memory.close();
    },
  });
}

function tryWatch(
  addon: EngineAddon,
  bus: ResolversOnBus,
): Pick<OpenNetwork, 'watch' | 'unavailable'> {
  const { NetworkWatch } = addon;
  if (NetworkWatch === undefined)
    return { watch: unwatched, unavailable: 'this build of the engine watches no network' };
  const watch = watchNetwork({ NetworkWatch }, bus);
  return watch.ok
    ? { watch: watch.value, unavailable: null }
    : { watch: unwatched, unavailable: watch.failure.message };
}

const noBus: ResolversOnBus = {
  current: () => nothingOnBus,
  refresh: () => {},
  onChange: () => () => {},
  close: () => {},
};

const unwatched: NetworkWatch = {
  current: () => emptySnapshot,
  onChange: () => () => {},
  onWake: () => () => {},
  onClockSet: () => () => {},
  onBlind: () => () => {},
  warn: () => {},
  weHold: () => {},
  close: () => {},
};

/** Linux: routing netlink and clocks through the addon, resolvers of links through the system bus. */

import { isDeepStrictEqual } from 'node:util';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import { messageOf } from '../base/errno-words.ts';
import { Listeners } from '../base/listeners.ts';
import type { Json } from '../engine/boundary.ts';
import { type EngineAddon, parse } from '../engine/engine-addon.ts';
import { type HeldLink, linksBehindUs } from './behind-us.ts';
import type { NetworkEvent } from './kernel-network.ts';
import { mergeLinkResolvers } from './link-resolvers.ts';
import type { NetworkSnapshot } from './network-snapshot.ts';
import type { NetworkWatch } from './network-watch.ts';
import type { ResolversOnBus } from './resolvers-on-bus.ts';

export function watchLinux(
  addon: Required<Pick<EngineAddon, 'NetworkWatch'>>,
  bus: ResolversOnBus,
): Result<NetworkWatch> {
  const changed = new Listeners<NetworkSnapshot>();
  const woke = new Listeners<number>();
  const clockSet = new Listeners<number>();
  const blind = new Listeners<string | null>();
  let kernel: InstanceType<typeof addon.NetworkWatch>;
  try {
    kernel = new addon.NetworkWatch(hear);
  } catch (error) {
    bus.close();
    return fail(
      'internal',
      messageOf(error),
      'networks are not told apart; the settings hold on all of them',
    );
  }
  let known = parse(kernel.current());
  let held: readonly HeldLink[] = [];
  let current = compose();
  bus.onChange(tell);

  function hear(text: Json<NetworkEvent>): void {
    const event = parse(text);
    switch (event.event) {
      case 'changed':
        known = event.snapshot;
        blind.tell(null);
        tell();
        // resolved says nothing when domains change; links and addresses change with them.
        bus.refresh();
        return;
      case 'blind':
        blind.tell(event.why);
        return;
      case 'woke':
        woke.tell(event.sleptMs);
        return;
      case 'clock-set':
        clockSet.tell(event.byMs);
    }
  }

  function compose(): NetworkSnapshot {
    const links = mergeLinkResolvers(bus.current(), known.interfaces);
    return { ...known, links: linksBehindUs(links, held) };
  }

  function tell(): void {
    const next = compose();
    if (isDeepStrictEqual(next, current)) return;
    current = next;
    changed.tell(next);
  }

  return succeed({
    current: () => current,
    onChange: (listener) => changed.add(listener),
    onWake: (listener) => woke.add(listener),
    onClockSet: (listener) => clockSet.add(listener),
    onBlind: (listener) => blind.add(listener),
    weHold: (links) => {
      held = links;
      tell();
    },
    warn: (engine) => kernel.warn(engine),
    close: () => {
      for (const listeners of [changed, woke, clockSet, blind]) listeners.clear();
      kernel.close();
      bus.close();
    },
  });
}

/**
 * Changes that happen by themselves – of the engine, the network, battery and clock, and each second – and the parts that react
 * to them.
 */
import { say } from '../contract/sentences/sentence.ts';
import type { Listeners } from './base/listeners.ts';
import type { Forwarders } from './conditions/follow-forwarders.ts';
import { followTimeZone } from './conditions/time-zone.ts';
import type { HealthRegistry } from './health/health-registry.ts';
import type { OpenNetwork } from './network/open-network.ts';
import type { Portal } from './portal/portal.ts';
import type { Battery } from './power/battery.ts';
import type { Protection } from './protection/protection.ts';
import type { Coverage } from './system-dns/coverage/coverage.ts';
import type { SystemDns } from './system-dns/system-dns.ts';

interface Parts {
  /** the status may be another */
  changed: Listeners<void>;
  engineChanged: Listeners<void>;
  /** what was decided may have to be decided anew */
  unsettled: Listeners<void>;
  surroundings: Pick<OpenNetwork, 'network' | 'watch' | 'unavailable'>;
  health: Pick<HealthRegistry, 'raise' | 'clear'>;
  battery: Pick<Battery, 'onChange'>;
  forwarders: Pick<Forwarders, 'tick'>;
  protection: Pick<Protection, 'settle' | 'reconnect' | 'tick' | 'isAtRest'>;
  portal: Pick<Portal, 'observe'>;
  systemDns: Pick<SystemDns, 'begin' | 'tick'>;
  coverage: Pick<Coverage, 'tick'>;
  onBug(error: unknown): void;
}

const tickMs = 1000;
/** A tick costs a millisecond or two, which is most of what a computer at rest pays for us. */
const ticksAtRest = 5;
const lookAgainMs = 60_000;

/** Looks a first time at once. The function returned ends it. */
export function followChanges(parts: Parts): () => void {
  const { engineChanged, unsettled, surroundings, health, battery, protection } = parts;
  const { portal, systemDns, onBug } = parts;
  const { network, watch, unavailable } = surroundings;

  let settling = false;
  function settle(): void {
    const settled = protection.settle();
    if (settling) return;
    settling = true;
    settled
      .finally(() => {
        settling = false;
      })
      .then(() => portal.observe())
      .catch(onBug);
  }
  const reconnect = () => protection.reconnect().catch(onBug);

  const ends = [
    // A query may be waiting for a lease, so a change of the engine is acted upon at once.
    engineChanged.add(settle),
    unsettled.add(settle),
    network.onChange(({ pathChanged }) => {
      // What is known of a portal belongs to the old network, so this comes before any permission here.
      portal.observe();
      return pathChanged ? reconnect() : settle();
    }),
    watch.onWake(reconnect),
    watch.onClockSet(settle),
    watch.onBlind((why) => {
      if (why === null) health.clear('network-unseen');
      else health.raise('network-unseen', [say('system-says', { message: why })]);
    }),
    battery.onChange(settle),
  ];
  if (unavailable !== null)
    health.raise('network-unwatched', [say('system-says', { message: unavailable })]);
  settle();
  systemDns.begin().catch(onBug);

  const zone = followTimeZone();
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks += 1;
    zone.follow();
    systemDns.tick();
    parts.forwarders.tick();
    parts.coverage.tick();
    if (protection.isAtRest() && ticks % ticksAtRest !== 0) return;
    protection
      .tick()
      .then(() => portal.observe())
      .catch(onBug);
  }, tickMs);
  // No part reports changes that follow from the time of day alone.
  const looking = setInterval(() => parts.changed.tell(), lookAgainMs);
  return () => {
    clearInterval(ticking);
    clearInterval(looking);
    for (const end of ends) end();
  };
}

/** The network we are on: watch, memory and the rule for remembered policies, joined. */
import type { DowngradePolicy } from '../../contract/settings/downgrade-policy.ts';
import { Listeners } from '../base/listeners.ts';
import { effectivePolicy, type PolicyHere } from './effective-policy.ts';
import type { NetworkMemory } from './network-memory.ts';
import type { NetworkSnapshot } from './network-snapshot.ts';
import { type NetworkStay, pathChanged, stayAfter } from './network-stay.ts';
import type { NetworkWatch } from './network-watch.ts';
import { leadsTo } from './way-out.ts';

export interface NetworkChange {
  stay: NetworkStay;
  snapshot: NetworkSnapshot;
  /** a new stay began: another network, or this one again */
  moved: boolean;
  /** connections made before lead nowhere now; true as well where `moved` */
  pathChanged: boolean;
}

export interface CurrentNetwork {
  stay(): NetworkStay;
  snapshot(): NetworkSnapshot;
  /** The person's name for it, or what it looks like. */
  label(): string;
  /** Whether anything leads to this IP address from here, as far as anyone can know. */
  leadsTo(ip: string): boolean;
  /** An upstream has authenticated, or the person has confirmed, during this stay. */
  confirmed(): boolean;
  /** An upstream has authenticated over this network. */
  noteAuthenticated(): void;
  /** The person has said, during this stay, that what is remembered of the network holds. */
  confirm(): void;
  policyHere(setting: DowngradePolicy): PolicyHere;
  onChange(listener: (change: NetworkChange) => void): () => void;
  close(): void;
}

/** Owns neither the watch nor the memory. */
export function followNetwork(watch: NetworkWatch, memory: NetworkMemory): CurrentNetwork {
  const changed = new Listeners<NetworkChange>();
  let snapshot = watch.current();
  let stay = stayAfter(null, snapshot);
  let authenticated = false;
  let confirmed = false;
  memory.saw(stay.identity);
  const end = watch.onChange(move);

  function move(next: NetworkSnapshot): void {
    const [before, beforeSnapshot] = [stay, snapshot];
    snapshot = next;
    stay = stayAfter(before, next);
    const moved = stay.number !== before.number;
    if (moved) {
      authenticated = false;
      confirmed = false;
    }
    if (moved || stay.identity.id !== before.identity.id) {
      memory.saw(stay.identity);
      // Its hardware address became known only now: what was proved meanwhile was proved there.
      if (authenticated) memory.authenticated(stay.identity.id);
    }
    changed.tell({
      stay,
      snapshot,
      moved,
      pathChanged: moved || pathChanged(beforeSnapshot, next),
    });
  }

  return {
    stay: () => stay,
    snapshot: () => snapshot,
    label: () => memory.find(stay.identity.id)?.name ?? stay.identity.label,
    leadsTo: (ip) => leadsTo(snapshot, ip),
    confirmed: () => authenticated || confirmed,
    noteAuthenticated: () => {
      if (authenticated) return;
      authenticated = true;
      memory.authenticated(stay.identity.id);
    },
    confirm: () => {
      confirmed = true;
    },
    policyHere: (setting) =>
      effectivePolicy({
        setting,
        remembered: memory.policyFor(stay.identity),
        // Of a network that could be many, nothing looser is taken from any.
        confirmed: stay.identity.settled && (authenticated || confirmed),
      }),
    onChange: (listener) => changed.add(listener),
    close: () => {
      end();
      changed.clear();
    },
  };
}

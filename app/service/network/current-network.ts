/** The network that the machine is on: watch, memory and the rule for remembered policies, joined. */
import type { Fit } from '../../contract/engine-words.ts';
import type { DowngradePolicy } from '../../contract/settings/downgrade-policies.ts';
import type { NetworkHints } from '../../contract/system/network.ts';
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
  /** earlier connections are dead now; true as well where `moved` */
  pathChanged: boolean;
}

/** Where the machine is, and whether that is more than a look. */
export interface Here {
  /** twelve hexadecimal digits, or "none" */
  id: string;
  hints: NetworkHints;
  /** an upstream has authenticated since the machine came here, or a person has confirmed the network */
  confirmed: boolean;
}

export interface CurrentNetwork {
  stay(): NetworkStay;
  snapshot(): NetworkSnapshot;
  /** The person's name for it, or its description. */
  label(): string;
  /** Whether a route leads to this IP address from here, as far as that can be known. */
  leadsTo(ip: string): boolean;
  /** An upstream has authenticated, or the person has confirmed, during this stay. */
  confirmed(): boolean;
  /** An upstream has authenticated over this network. */
  noteAuthenticated(): void;
  here(): Here;
  /** The network is confirmed from now on. */
  onConfirmed(listener: () => void): () => void;
  /** The person has confirmed, during this stay, what is remembered of the network. */
  confirm(): void;
  policyHere(setting: DowngradePolicy): PolicyHere;
  /** Whether this is one of these networks, by id or name. Unknown: it seems so, and neither an upstream nor a person has said it. */
  isNetwork(references: readonly string[]): Fit;
  onChange(listener: (change: NetworkChange) => void): () => void;
  close(): void;
}

/** Its caller owns watch and memory. */
export function followNetwork(watch: NetworkWatch, memory: NetworkMemory): CurrentNetwork {
  const changed = new Listeners<NetworkChange>();
  const proven = new Listeners<void>();
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
      // Its hardware address became known only now, and the upstream authenticated on this network before that.
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
      proven.tell();
    },
    confirm: () => {
      confirmed = true;
      proven.tell();
    },
    here: () => ({
      id: stay.identity.id,
      hints: stay.identity.hints,
      // While the identity fits several networks, it is none that could be confirmed.
      confirmed: stay.identity.settled && (authenticated || confirmed),
    }),
    policyHere: (setting) =>
      effectivePolicy({
        setting,
        remembered: memory.policyFor(stay.identity),
        // While the identity fits several networks, no looser policy of any of them is used.
        confirmed: stay.identity.settled && (authenticated || confirmed),
      }),
    isNetwork: (references) => {
      const { id, settled } = stay.identity;
      const named = references.flatMap((reference) => [
        reference,
        memory.findByName(reference)?.id,
      ]);
      if (settled && !named.includes(id)) return 'no';
      return settled && (authenticated || confirmed) ? 'yes' : 'unknown';
    },
    onChange: (listener) => changed.add(listener),
    onConfirmed: (listener) => proven.add(listener),
    close: () => {
      end();
      changed.clear();
      proven.clear();
    },
  };
}

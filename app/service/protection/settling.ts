/** Lets what is in force follow what is so – the network, the engine, the clock – until nothing changes any more by that. */

import type { Failure } from '../../contract/errors.ts';
import { ledgerEndings } from '../../contract/protection/ledger-words.ts';
import type { EngineStatus } from '../engine/engine-status.ts';
import { Listeners } from '../network/listeners.ts';
import { sayRefusal } from '../settings/say-refusal.ts';
import type { Asks, NewAsk } from './asks.ts';
import type { Enforcement } from './enforcement.ts';
import type { Orders } from './engine-orders.ts';
import type { EntryKeeper } from './entry-keeper.ts';
import { type GroupObserver, isAuthenticated } from './group-observer.ts';
import type { GroupFacts } from './group-transition.ts';
import type { NetworkHere } from './policy-in-force.ts';
import type { ProtectionParts } from './protection-parts.ts';
import { whatCounts } from './what-counts.ts';

export interface Settling {
  /** `why`: a permission that is none any more has ended. */
  settle(why?: string): Promise<void>;
  /** Another network, or the same one again: answers were about the one before, connections lead nowhere. */
  arrive(): Promise<void>;
  /** Connections are made anew, and what was known of paths is of another time. */
  beginAfresh(): Promise<void>;
  /** Whether the engine's condition is another than the settled one, in what counts. */
  isUnsettled(): boolean;
  /** Called each time it is done; the function returned ends it. */
  onSettled(listener: () => void): () => void;
  /** Nothing is settled any more. */
  end(): void;
  ended(): boolean;
}

interface Parts
  extends Pick<ProtectionParts, 'engine' | 'network' | 'health' | 'now' | 'onChange'> {
  asks: Asks;
  entries: EntryKeeper;
  observer: Pick<GroupObserver, 'forget' | 'seen'>;
  enforcement: Enforcement;
}

/** An answer opens an entry, an entry changes the state, the state closes a question: settled after so many steps. */
const mostSteps = 4;

/** What the engine refused for reasons of its own it will refuse again: so long it is not given the same. */
const refusalRestMs = 30_000;

export function createSettling(parts: Parts): Settling {
  const { engine, network, asks, entries, observer, enforcement, now } = parts;
  const settled = new Listeners<void>();
  /** the engine's connections were made during this stay */
  let stay = network.stay().number;
  let refusedAt = Number.NEGATIVE_INFINITY;
  let ended = false;
  /** one of our upstreams has proved itself since we came here */
  let proved = false;
  /** what counted of the engine when nothing followed from it; null: something did, and may again */
  let settledFor: string | null = null;

  async function settle(why = ledgerEndings['not-wanted']): Promise<void> {
    let steps = 0;
    while (!ended && (await step(why))) {
      settledFor = null;
      if (++steps === mostSteps) break;
    }
    settled.tell();
  }

  /** Resolves to whether anything changed. */
  async function step(why: string): Promise<boolean> {
    await arrive();
    const engineNow = engine.status();
    noteProof(engineNow);
    settledFor = countsOf(engineNow);
    for (const { group } of entries.closeEnded(engineNow)) asks.spend(group);
    const orders = enforcement.orders(engineNow);
    const asked = carryOutAsks(orders);
    if (enforcement.stands(orders)) return asked;
    if (now() >= refusedAt && now() - refusedAt < refusalRestMs) return false;
    const enforced = await enforcement.enforce(
      enforcement.settings(),
      enforcement.position(),
      why,
      orders,
    );
    if (!enforced.ok) noteRefusal(enforced.failure);
    return enforced.ok;
  }

  async function arrive(): Promise<void> {
    if (stay === network.stay().number) return;
    asks.drop();
    observer.forget(engine.status());
    if (enforcement.isHere()) await engine.reconnect();
    stay = network.stay().number;
    proved = false;
    settledFor = null;
  }

  /** Where the network is another, applying that is what makes connections anew: none is shown the tickets of the one before. */
  async function beginAfresh(): Promise<void> {
    if (enforcement.isHere()) await engine.reconnect();
    observer.forget(engine.status());
    await settle();
  }

  function noteProof({ upstreams }: EngineStatus): void {
    if (!enforcement.isHere() || !upstreams.some(isAuthenticated)) return;
    network.noteAuthenticated();
    proved = true;
  }

  function countsOf(engineNow: EngineStatus): string {
    const { upstreams } = engineNow;
    const proof = proved || upstreams.some(isAuthenticated);
    return whatCounts(engineNow, observer.seen(upstreams), proof);
  }

  function carryOutAsks({ decided, facts: { groups, here } }: Orders): boolean {
    for (const { group: id, change } of decided.asks) {
      const group = groups.find(({ rules }) => rules.id === id);
      if (change === 'drop' || group === undefined) asks.drop(id);
      else if (change === 'expire') asks.expire(id);
      else asks.open(questionOf(group, here));
    }
    if (decided.asks.length > 0) parts.onChange();
    return decided.asks.length > 0;
  }

  /** The engine grants no lease, for lack of a place to count: not asked again every second, each time in the ledger. */
  function noteRefusal(failure: Failure): void {
    refusedAt = now();
    parts.health.raise('ledger-unwritable', `${sayRefusal(failure)}.`);
  }

  return {
    settle,
    arrive,
    beginAfresh,
    isUnsettled: () => settledFor === null || countsOf(engine.status()) !== settledFor,
    onSettled: (listener) => settled.add(listener),
    end() {
      ended = true;
    },
    ended: () => ended,
  };
}

function questionOf({ rules, path }: GroupFacts, here: NetworkHere): NewAsk {
  return {
    network: here.id,
    networkLabel: here.label,
    group: rules.id,
    upstream: path.upstream,
    why: path.kind === 'none' ? path.why : '',
    rungs: rules.rungs,
    consent: rules.consent,
  };
}

/**
 * The one loop: facts are gathered, decided on and the decision is applied, until that changes nothing any more. An entry in
 * the ledger changes the state, the state closes a consent request, and the engine reports what it did with its new
 * configuration.
 */

import { isDeepStrictEqual } from 'node:util';
import { type Result, succeed } from '../../contract/errors.ts';
import { ledgerEndings } from '../../contract/protection/ledger-words.ts';
import { Listeners } from '../base/listeners.ts';
import type { EngineStatus } from '../engine/boundary.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import type { Applier } from './apply.ts';
import type { ConsentRequests } from './consent-requests.ts';
import { type Decision, decide } from './decide.ts';
import type { EntryKeeper } from './entry-keeper.ts';
import type { FactsReader, Wanted } from './facts.ts';
import { type GroupObserver, isAuthenticated } from './group-observer.ts';
import { rulesInForce } from './policy-in-force.ts';
import type { ProtectionFacts } from './transition.ts';

export interface LoopParts {
  engine: Pick<EngineDriver, 'status' | 'reconnect'>;
  network: Pick<
    CurrentNetwork,
    'stay' | 'noteAuthenticated' | 'label' | 'policyHere' | 'isNetwork'
  >;
  now(): number;
  built: number;
  /** What is in force may have changed. */
  onChange(): void;
}

interface Parts extends LoopParts {
  consentRequests: Pick<ConsentRequests, 'drop' | 'spend'>;
  entries: Pick<EntryKeeper, 'closeEnded'>;
  observer: Pick<GroupObserver, 'notice' | 'forget'>;
  facts: FactsReader;
  applier: Applier;
}

export interface ProtectionLoop {
  inForce(): Readonly<Wanted>;
  /** What would be decided under these settings. Nothing is changed by it. */
  suppose(settings: EffectiveSettings): Decision;
  /** The facts of this moment, for the settings in force. */
  facts(engine?: EngineStatus): ProtectionFacts;
  /**
   * Decides until nothing follows any more. `wanted` comes into force first, as a whole or not at all: where it can't, the old
   * settings stay. `why`: the reason for permissions that end.
   */
  run(why?: string, wanted?: Partial<Wanted>): Promise<Result<null>>;
  /** Connections are made anew, and what was known of paths no longer counts. */
  beginAfresh(): Promise<void>;
  /** Called each time a run is over; the function returned ends it. */
  onSettled(listener: () => void): () => void;
  /** After that nothing happens by itself. */
  end(): void;
  ended(): boolean;
}

const mostSteps = 5;

/** Nothing is in force before the first run; until then `first` is what was wanted last. */
export function createLoop(parts: Parts, first: Wanted): ProtectionLoop {
  const { engine, network, consentRequests, entries, observer, applier } = parts;
  const settled = new Listeners<void>();
  let inForce = first;
  /** the engine's connections were made during this stay */
  let stay = network.stay().number;
  let ended = false;

  async function run(why: string, wanted: Wanted | null): Promise<Result<null>> {
    if (wanted !== null) {
      const fulfilled = await step(why, wanted);
      if (!fulfilled.ok) return fulfilled;
    }
    await followUp(why, wanted === null ? mostSteps : mostSteps - 1);
    settled.tell();
    return succeed(null);
  }

  /** Takes steps while they change something, so many at most. */
  async function followUp(why: string, most: number): Promise<void> {
    for (let steps = 0; steps < most && !ended; steps++) {
      const changed = await step(why, null);
      if (!changed.ok || !changed.value) return;
    }
  }

  /** Resolves to whether anything changed; a failure: the decision could not be applied. */
  async function step(why: string, wish: Wanted | null): Promise<Result<boolean>> {
    await arrive();
    const engineNow = engine.status();
    const wanted = wish ?? inForce;
    notice(engineNow, wanted.settings);
    const decision = decide(parts.facts.all(wanted, engineNow));
    return wish === null ? await follow(decision, why) : await fulfil(wish, decision, why);
  }

  async function fulfil(wish: Wanted, decision: Decision, why: string): Promise<Result<boolean>> {
    const applied = await applier.apply(decision, why, true);
    if (!applied.ok) return applied;
    dropOverruled(inForce.settings, wish.settings);
    inForce = wish;
    parts.onChange();
    // The consent requests follow from what the engine does under this decision: the next step sees it.
    return succeed(true);
  }

  async function follow(decision: Decision, why: string): Promise<Result<boolean>> {
    const asked = applier.changeRequests(decision);
    if (asked) parts.onChange();
    const applied = await applier.apply(decision, why, false);
    if (!applied.ok) return applied;
    if (applied.value) parts.onChange();
    return succeed(asked || applied.value);
  }

  /** Another network, or the same one again: answers were about the one before, and its connections are dead. */
  async function arrive(): Promise<void> {
    const { number } = network.stay();
    if (stay === number) return;
    consentRequests.drop();
    observer.forget(engine.status());
    if (applier.isHere()) await engine.reconnect();
    stay = number;
  }

  /**
   * The engine reports some things only once, so they are remembered before any decision: proofs, dials that begin, leases that
   * its clock ended.
   */
  function notice(engineNow: EngineStatus, settings: EffectiveSettings): void {
    if (applier.isHere() && engineNow.upstreams.some(isAuthenticated)) network.noteAuthenticated();
    for (const { group } of entries.closeEnded(engineNow)) consentRequests.spend(group);
    observer.notice(settings, rulesInForce(settings, network, parts), engineNow);
  }

  /** A person's answer under other rules does not count under these. */
  function dropOverruled(before: EffectiveSettings, after: EffectiveSettings): void {
    const kept = rulesInForce(after, network, parts);
    for (const rules of rulesInForce(before, network, parts))
      if (!kept.some((one) => isDeepStrictEqual(one, rules))) consentRequests.drop(rules.id);
  }

  function suppose(settings: EffectiveSettings): Decision {
    const facts = parts.facts.all({ ...inForce, settings }, engine.status());
    const now = rulesInForce(inForce.settings, network, parts);
    // As with `dropOverruled`: an answer that was given under other rules would not count.
    const groups = facts.groups.map((group) =>
      now.some((one) => isDeepStrictEqual(one, group.rules)) ? group : { ...group, request: null },
    );
    // Whoever supposes makes up names of accounts, and each would be looked up.
    const { known } = facts.accounts;
    return decide({ ...facts, groups, accounts: { ...known, known } });
  }

  return {
    inForce: () => inForce,
    suppose,
    facts: (engineNow = engine.status()) => parts.facts.ofState(inForce, engineNow),
    run: (why = ledgerEndings['not-wanted'], wanted) =>
      run(why, wanted === undefined ? null : { ...inForce, ...wanted }),

    /** Where the network is another, applying the decision makes the connections anew, without tickets of the network before. */
    async beginAfresh() {
      if (applier.isHere()) await engine.reconnect();
      observer.forget(engine.status());
      await run(ledgerEndings['not-wanted'], null);
    },

    onSettled: (listener) => settled.add(listener),
    end() {
      ended = true;
    },
    ended: () => ended,
  };
}

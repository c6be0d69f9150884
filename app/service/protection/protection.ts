/**
 * Settings, switch, network and the answers of people, brought into force one change at a time: what is so (`facts-now`)
 * decides (`transition`), the decision is carried out (`enforcement`), and what follows from that is settled (`settling`).
 */
import { isDeepStrictEqual } from 'node:util';
import { type Result, succeed } from '../../contract/errors.ts';
import type { Ask } from '../../contract/protection/ask.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { inOrder } from '../base/in-order.ts';
import type { EngineStatus } from '../engine/engine-status.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import { type Answers, createAnswers } from './answers.ts';
import { askId, createAsks } from './asks.ts';
import { createEnforcement } from './enforcement.ts';
import { createEntryKeeper } from './entry-keeper.ts';
import { createFactsNow } from './facts-now.ts';
import { createGroupObserver } from './group-observer.ts';
import type { GroupPath } from './group-path.ts';
import { type GroupRules, type NetworkHere, rulesInForce } from './policy-in-force.ts';
import { noPortal, type PortalFacts } from './portal-facts.ts';
import type { ProtectionParts } from './protection-parts.ts';
import { createSettling } from './settling.ts';
import { holds, readSwitch, type Switch, sayTurn, writeSwitch } from './switch.ts';
import { type Transition, transition } from './transition.ts';

/** Everything as it is at one moment. */
export interface ProtectionView extends Transition {
  here: NetworkHere;
  rules: GroupRules[];
  /** of the default group */
  path: GroupPath;
}

export interface Protection extends Answers {
  /** Whole or not at all: on failure what was in force stays. */
  adopt(effective: EffectiveSettings): Promise<Result<null>>;
  turn(position: Switch): Promise<Result<null>>;
  /** What is known of a login that the network wants; `why`: a login that is none any more has ended. */
  setPortal(facts: PortalFacts, why: string): Promise<void>;
  /** The engine, the network or the clock may have made another state of it. */
  settle(): Promise<void>;
  /** Whether a change of the engine is one that something may follow from; where not, there is nothing to settle. */
  isUnsettled(): boolean;
  /** A link came back, or the machine woke: what is open may be dead. */
  reconnect(): Promise<void>;
  asks(): Ask[];
  view(engine: EngineStatus): ProtectionView;
  position(): Switch;
  inForce(): EffectiveSettings;
  standing(): LedgerEntry[];
  /** To be called every second: ends what is over, follows the system's resolvers, writes counts down. */
  tick(): Promise<void>;
  /** After the engine has stopped: the last counts, and every entry closed. Nothing changes from then on. */
  end(): Promise<void>;
}

export async function startProtection(
  given: ProtectionParts,
  effective: EffectiveSettings,
): Promise<Result<Protection>> {
  const { engine, ledger, network, now, switchFile } = given;
  const inTurn = inOrder();
  let portal = given.portal ?? noPortal;
  const parts = {
    ...given,
    portal: () => portal,
    asks: createAsks(now, askId),
    entries: createEntryKeeper(given),
    observer: createGroupObserver(given),
  };
  const factsNow = createFactsNow(parts);
  const enforcement = createEnforcement(
    { ...parts, factsNow },
    effective,
    readSwitch(switchFile, now()),
  );
  const settling = createSettling({ ...parts, enforcement });
  const { asks, entries } = parts;
  const { settings, position, enforce } = enforcement;
  const { arrive, settle } = settling;
  let settlingSoon: Promise<void> | null = null;

  /** The engine ends a pause by a clock that nobody sets; what it ended is over, whatever the time of day says. */
  function pauseIsOver(): boolean {
    if (position().protection !== 'paused') return false;
    if (!holds(position(), now())) return true;
    const isOver = (lease: EngineStatus['clear'][number]) =>
      lease.class === 'paused' && lease.ended;
    return engine.status().clear.some((lease) => isOver(lease) && entries.isStanding(lease.entry));
  }

  const first = await enforce(effective, position(), 'the service started');
  if (!first.ok) return first;
  await settle();

  return succeed({
    ...createAnswers({ ...parts, enforcement, settling, inTurn }),

    adopt: (wanted) =>
      inTurn(async () => {
        await arrive();
        const before = rulesInForce(settings(), network);
        const adopted = await enforce(wanted, position(), 'the settings changed');
        if (!adopted.ok) return adopted;
        // What a person said was said under other rules.
        for (const rules of rulesInForce(wanted, network))
          if (!before.some((old) => isDeepStrictEqual(old, rules))) asks.drop(rules.id);
        await settle('the settings changed');
        return adopted;
      }),

    turn: (next) =>
      inTurn(async () => {
        await arrive();
        const before = position();
        const written = writeSwitch(switchFile, next);
        // Whoever wants to be private is, whatever the disk says; it is told all the same.
        if (!written.ok && next.protection !== 'on') return written;
        const applied = await enforce(settings(), next, sayTurn(next));
        if (!applied.ok) writeSwitch(switchFile, before);
        else await settle();
        return applied.ok ? written : applied;
      }),

    setPortal: (next, why) =>
      inTurn(async () => {
        portal = next;
        await settle(why);
      }),

    settle() {
      settlingSoon ??= inTurn(() => {
        settlingSoon = null;
        return settle();
      });
      return settlingSoon;
    },

    isUnsettled: settling.isUnsettled,

    reconnect: () => inTurn(settling.beginAfresh),

    asks: () => asks.list(),
    view(engineNow) {
      const facts = factsNow.facts(settings(), position(), engineNow);
      const rules = facts.groups.map((group) => group.rules);
      const path = facts.groups[0]?.path ?? { kind: 'none', upstream: '', why: '', says: [] };
      return { ...transition(facts), here: facts.here, rules, path };
    },
    position,
    inForce: settings,
    standing: () => ledger.standing(),

    tick: () =>
      inTurn(async () => {
        if (settling.ended()) return;
        entries.syncCounts();
        await arrive();
        if (pauseIsOver()) {
          const on: Switch = { protection: 'on', since: now(), who: 'the end of the pause' };
          writeSwitch(switchFile, on);
          await enforce(settings(), on, 'the pause ended');
        }
        await settle("the system's resolvers changed");
      }),

    end: () =>
      inTurn(async () => {
        settling.end();
        entries.closeOthers([], () => 'the service stopped');
      }),
  });
}

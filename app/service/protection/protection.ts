/**
 * Brings settings, switch, network and the answers of people into force, one change at a time. Each change is a run of the one
 * loop (`loop.ts`): facts are gathered (`facts.ts`), decided on (`decide.ts`, pure), and the decision is carried out
 * (`apply.ts`).
 */

import { isDeepStrictEqual } from 'node:util';
import { type Result, succeed } from '../../contract/errors.ts';
import type { ConsentRequest } from '../../contract/protection/consent-request.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { inOrder } from '../base/in-order.ts';
import type { MachineClock } from '../base/machine-clock.ts';
import type { EngineConfig, EngineStatus } from '../engine/boundary.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import { type ApplyParts, createApplier } from './apply.ts';
import { type Answers, createAnswers } from './consent-answers.ts';
import { consentRequestId, createConsentRequests } from './consent-requests.ts';
import { supposedConfig } from './decide.ts';
import { createEntryKeeper } from './entry-keeper.ts';
import { createFactsReader, type FactSources } from './facts.ts';
import { createGroupObserver } from './group-observer.ts';
import type { GroupPath } from './group-path.ts';
import type { Ledger } from './ledger.ts';
import { createLoop, type LoopParts } from './loop.ts';
import type { GroupRules, NetworkHere } from './policy-in-force.ts';
import { noPortal, type PortalFacts } from './portal-facts.ts';
import {
  anchored,
  begun,
  endOf,
  holds,
  positionUnder,
  readSwitch,
  type Switch,
  sayTurn,
  writeSwitch,
} from './switch.ts';
import { type Transition, transition } from './transition.ts';

/** What protection needs of the other parts of the service, and what it reports to them. */
export interface ProtectionParts extends FactSources, ApplyParts, LoopParts {
  engine: EngineDriver;
  ledger: Ledger;
  health: HealthRegistry;
  network: FactSources['network'] & LoopParts['network'];
  switchFile: string;
  clock: MachineClock;
  labelOf(upstreamId: string, effective: EffectiveSettings): string;
  pause(milliseconds: number): Promise<void>;
  /** what is known of a login before the first look; absent: there will be no look */
  portal?: PortalFacts;
}

/** The whole state at one moment. */
export interface ProtectionView extends Transition {
  here: NetworkHere;
  rules: GroupRules[];
  /** of the default group */
  path: GroupPath;
}

export interface Protection extends Answers {
  /**
   * Adopts settings as a whole or not at all: on failure the old ones stay in force. Resolves to whether the settings in force
   * changed.
   */
  adopt(effective: EffectiveSettings): Promise<Result<boolean>>;
  /** Resolves to whether that changes anything; each pause does. */
  turn(position: Switch): Promise<Result<boolean>>;
  /** What is known of a login that the network wants; `why`: the reason, where a login has ended. */
  setPortal(facts: PortalFacts, why: string): Promise<void>;
  /** The engine, the network or the clock may have changed the state. */
  settle(): Promise<void>;
  /** The engine's configuration as it would be under these settings. Nothing is changed, and nothing is written. */
  suppose(effective: EffectiveSettings): EngineConfig;
  /** A link came back, or the machine woke: open connections may be dead. */
  reconnect(): Promise<void>;
  consentRequests(): ConsentRequest[];
  view(engine: EngineStatus): ProtectionView;
  position(): Switch;
  inForce(): EffectiveSettings;
  standing(): LedgerEntry[];
  /** Writes down what has been counted until now, for whoever reads the ledger; each tick does so too. */
  writeCounts(): void;
  /**
   * To be called every second, and at rest less often: it ends what is over, follows the system's resolvers, and writes counts down.
   */
  tick(): Promise<void>;
  /** Nothing may leave in cleartext and nobody is asked, so there is nothing to count and nothing that ends. */
  isAtRest(): boolean;
  /** After the engine has stopped: the last counts, and every entry closed. Nothing changes from then on. */
  end(): Promise<void>;
}

/** The clock since the machine's start is read to a hundredth of a second, and in some places to a second. */
const toleratedMs = 2_000;
/** A machine that loses power takes no more than this time of a pause twice. */
const keptEveryMs = 60_000;

export async function startProtection(
  given: ProtectionParts,
  effective: EffectiveSettings,
): Promise<Result<Protection>> {
  const { engine, ledger, now, clock, switchFile } = given;
  const inTurn = inOrder();
  const under = ({ settings }: EffectiveSettings, before: Switch) =>
    positionUnder(settings.pause, before, now());
  let portal = given.portal ?? noPortal;
  const consentRequests = createConsentRequests(clock, consentRequestId);
  const entries = createEntryKeeper(given);
  const observer = createGroupObserver(given);
  const own = { ...given, portal: () => portal, consentRequests, entries, observer };
  const loop = createLoop(
    { ...own, facts: createFactsReader(own), applier: createApplier(own) },
    { settings: effective, position: under(effective, readSwitch(switchFile, clock)) },
  );
  const position = () => loop.inForce().position;
  let settlingSoon: Promise<void> | null = null;
  /** when the switch was written last, by the clock since the machine's start */
  let keptAt = clock.sinceBoot();

  /** The engine ends a pause by a clock that cannot be set. What it ended is over, whatever the time of day is. */
  function pauseIsOver(): boolean {
    if (position().protection !== 'paused') return false;
    if (!holds(position(), clock)) return true;
    const standing = new Set(entries.standing().map(({ id }) => id));
    return engine
      .status()
      .clear.some((lease) => lease.class === 'paused' && lease.ended && standing.has(lease.entry));
  }

  async function endPause(): Promise<void> {
    const on: Switch = { protection: 'on', since: now(), who: 'the end of the pause' };
    writeSwitch(switchFile, on);
    await loop.run('the pause ended', { position: on });
  }

  /** Its end is told anew where somebody set the clock; what is left is written down each minute, for a machine that loses power. */
  async function followClock(): Promise<void> {
    const before = position();
    const next = anchored(before, clock);
    if (next === before) return;
    const wasSet = Math.abs(endOf(next) - endOf(before)) > toleratedMs;
    if (wasSet) await loop.run('the clock was set', { position: next });
    if (!wasSet && clock.sinceBoot() - keptAt < keptEveryMs) return;
    keptAt = clock.sinceBoot();
    writeSwitch(switchFile, next);
  }

  const first = await loop.run('the service started', loop.inForce());
  if (!first.ok) return first;
  // What was left then counts from this start on.
  if (position().protection === 'paused') writeSwitch(switchFile, position());

  return succeed({
    ...createAnswers({ ...own, loop, inTurn }),

    adopt: (settings) =>
      inTurn(async () => {
        if (isDeepStrictEqual(settings, loop.inForce().settings)) return succeed(false);
        const [before, next] = [position(), under(settings, position())];
        const adopted = await loop.run('the settings changed', { settings, position: next });
        if (adopted.ok && next !== before) writeSwitch(switchFile, next);
        return adopted.ok ? succeed(true) : adopted;
      }),

    turn: (wanted) =>
      inTurn(async () => {
        const [before, next] = [position(), begun(wanted, clock)];
        const written = writeSwitch(switchFile, next);
        // A switch to private always takes effect; a failure to write it is reported all the same.
        if (!written.ok && next.protection !== 'on') return written;
        const applied = await loop.run(sayTurn(next), { position: next });
        if (applied.ok) return whetherOther(written, before, next);
        writeSwitch(switchFile, before);
        return applied;
      }),

    setPortal: (next, why) =>
      inTurn(async () => {
        portal = next;
        await loop.run(why);
      }),

    settle() {
      settlingSoon ??= inTurn(async () => {
        settlingSoon = null;
        await loop.run();
      });
      return settlingSoon;
    },

    suppose: (settings) => supposedConfig(loop.suppose(settings)),

    reconnect: () => inTurn(loop.beginAfresh),

    consentRequests: () => consentRequests.list(),
    view(engineNow) {
      const facts = loop.facts(engineNow);
      const rules = facts.groups.map((group) => group.rules);
      const path = facts.groups[0]?.path ?? { kind: 'none', upstream: '', why: '', says: [] };
      return { ...transition(facts), here: facts.here, rules, path };
    },
    position,
    inForce: () => loop.inForce().settings,
    standing: () => ledger.standing(),
    writeCounts: entries.syncCounts,

    tick: () =>
      inTurn(async () => {
        if (loop.ended()) return;
        entries.syncCounts();
        if (pauseIsOver()) await endPause();
        else await followClock();
        await loop.run("the system's resolvers changed");
      }),

    isAtRest: () =>
      position().protection === 'on' &&
      ledger.standing().length === 0 &&
      consentRequests.list().length === 0,

    end: () =>
      inTurn(async () => {
        loop.end();
        entries.closeOthers([], () => 'the service stopped');
      }),
  });
}

/** The same switch again changes nothing; another pause has another end. */
function whetherOther(written: Result<null>, before: Switch, next: Switch): Result<boolean> {
  const isOther = next.protection === 'paused' || next.protection !== before.protection;
  return written.ok ? succeed(isOther) : written;
}

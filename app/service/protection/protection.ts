/**
 * Brings settings, switch, network and the answers of people into force, in this order: ledger entries of new permissions
 * on disk, then the engine's configuration with their leases, then the end of the permissions it no longer holds. One
 * change at a time.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Ask, RetriedAsk } from '../../contract/ask.ts';
import { type Failure, fail, type Result, succeed } from '../../contract/errors.ts';
import type { LedgerEntry } from '../../contract/ledger-entry.ts';
import { isPrivate } from '../../contract/upstream-settings.ts';
import type { EngineConfig } from '../engine/compile-config.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import type { EngineStatus } from '../engine/engine-status.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import { strictest } from '../network/effective-policy.ts';
import { Listeners } from '../network/listeners.ts';
import type { RulesHere } from '../rules/rules-here.ts';
import type { EffectiveSettings } from '../settings/load-settings.ts';
import { type Answerer, askId, createAsks, type NewAsk } from './asks.ts';
import { type Orders, ordersFor } from './engine-orders.ts';
import { createEntryKeeper } from './entry-keeper.ts';
import { createGroupObserver, isAuthenticated } from './group-observer.ts';
import type { GroupPath } from './group-path.ts';
import { type GroupFacts, sayWhyNot } from './group-transition.ts';
import type { GuardianPolicy } from './guardian-policy.ts';
import type { Ledger } from './ledger.ts';
import { type GroupRules, type NetworkHere, rulesInForce } from './policy-in-force.ts';
import { noPortal, type PortalFacts } from './portal-facts.ts';
import { tryPrivatePaths } from './private-path-retry.ts';
import { holds, readSwitch, type Switch, writeSwitch } from './switch.ts';
import { type ProtectionFacts, type Transition, transition } from './transition.ts';

export interface ProtectionParts {
  engine: EngineDriver;
  ledger: Ledger;
  health: HealthRegistry;
  switchFile: string;
  /** the system's own resolvers under these settings, read afresh */
  serversFor(effective: EffectiveSettings): string[];
  /** the rules these settings, the links and the answers of people make here and now */
  rulesFor(effective: EffectiveSettings): RulesHere;
  network: NetworkParts;
  onBattery(): boolean;
  labelOf(upstreamId: string, effective: EffectiveSettings): string;
  /** Durable when it returns. */
  tellGuardian(policy: GuardianPolicy): void;
  now(): number;
  pause(milliseconds: number): Promise<void>;
  /** what is known of a login before anybody looks; absent: nobody will */
  portal?: PortalFacts;
  onChange(): void;
}

type NetworkParts = Pick<
  CurrentNetwork,
  'stay' | 'label' | 'leadsTo' | 'confirmed' | 'noteAuthenticated' | 'policyHere'
>;

/** Everything as it is at one moment. */
export interface ProtectionView extends Transition {
  here: NetworkHere;
  rules: GroupRules[];
  /** of the default group */
  path: GroupPath;
}

export interface Protection {
  /** Whole or not at all: on failure what was in force stays. */
  adopt(effective: EffectiveSettings): Promise<Result<null>>;
  turn(position: Switch): Promise<Result<null>>;
  /** What is known of a login that the network wants; `why`: a login that is none any more has ended. */
  setPortal(facts: PortalFacts, why: string): Promise<void>;
  /** The engine, the network or the clock may have made another state of it. */
  settle(): Promise<void>;
  /** A link came back, or the machine woke: what is open may be dead. */
  reconnect(): Promise<void>;
  allow(askId: string, minutes: number, answerer: Answerer): Promise<Result<Ask>>;
  deny(askId: string, answerer: Answerer): Promise<Result<Ask>>;
  /** Resolves when it is known what came of it. */
  retry(askId: string, answerer: Answerer): Promise<Result<RetriedAsk>>;
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

/** An answer opens an entry, an entry changes the state, the state closes a question: settled after so many steps. */
const mostSteps = 4;

/** What the engine refused for reasons of its own it will refuse again: so long it is not given the same. */
const refusalRestMs = 30_000;

export async function startProtection(
  parts: ProtectionParts,
  effective: EffectiveSettings,
): Promise<Result<Protection>> {
  const { engine, ledger, network, now } = parts;
  const asks = createAsks(now, askId);
  const entries = createEntryKeeper(parts);
  const observer = createGroupObserver(parts);
  const settled = new Listeners<null>();
  let inForce = effective;
  let position = readSwitch(parts.switchFile, now());
  let config: EngineConfig | null = null;
  /** the engine's connections were made during this stay */
  let stay = network.stay().number;
  let queue: Promise<unknown> = Promise.resolve();
  let settling: Promise<void> | null = null;
  let ended = false;
  let portal = parts.portal ?? noPortal;
  let told: GuardianPolicy | null = null;
  let refusedAt = Number.NEGATIVE_INFINITY;

  function oneAtATime<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = queue.then(work);
    queue = done.catch(() => {});
    return done;
  }

  function factsOf(
    wanted: EffectiveSettings,
    next: Switch,
    engineNow: EngineStatus,
  ): ProtectionFacts {
    const here = { ...placeOf(network), authenticated: network.confirmed() };
    const groups = observer
      .groups(wanted, rulesInForce(wanted, network), engineNow)
      .map((group) => ({ ...group, ask: asks.current(group.rules.id) }));
    const exposures = entries.exposures();
    return { now: now(), here, position: next, groups, exposures, portal };
  }

  function ordersNow(wanted: EffectiveSettings, next: Switch, engineNow: EngineStatus): Orders {
    const facts = factsOf(wanted, next, engineNow);
    const toServers =
      next.protection !== 'on' || facts.groups.some(({ rules }) => rules.rungs.includes('network'));
    const servers = toServers ? parts.serversFor(wanted) : [];
    return ordersFor(wanted, parts.rulesFor(wanted).rules, facts, servers, parts.onBattery());
  }

  /** Whole or not at all. */
  async function enforce(
    wanted: EffectiveSettings,
    next: Switch,
    why: string,
    orders = ordersNow(wanted, next, engine.status()),
  ): Promise<Result<null>> {
    tellGuardian(orders.guardian, 'stricter');
    const before = ledger.standing();
    const permitted = entries.open(orders.granted);
    const nextConfig = orders.config(permitted);
    const same = isDeepStrictEqual(nextConfig, config);
    const applied = same ? succeed(null) : await engine.apply(nextConfig);
    if (!applied.ok) {
      entries.closeOthers(before, () => 'never in force');
      return applied;
    }
    // Until now dials went on where we were.
    if (config !== null && config.network !== nextConfig.network) observer.arrived(engine.status());
    entries.closeOthers(permitted, (entry) => orders.whyOver(entry) ?? why);
    [inForce, position, config] = [wanted, next, nextConfig];
    tellGuardian(orders.guardian, 'any');
    parts.onChange();
    return applied;
  }

  /** What is stricter is told before it is in force, what is looser afterwards. */
  function tellGuardian(next: GuardianPolicy, change: 'stricter' | 'any'): void {
    if (isDeepStrictEqual(told, next)) return;
    const stricter = told === null || strictest([told.policy, next.policy]) === next.policy;
    if (change === 'stricter' && !stricter) return;
    parts.tellGuardian(next);
    told = next;
  }

  /** Another network, or the same one again: answers were about the one before, connections lead nowhere. */
  async function arrive(): Promise<void> {
    if (stay === network.stay().number) return;
    asks.drop();
    observer.forget(engine.status());
    if (config?.network === network.stay().partition) await engine.reconnect();
    stay = network.stay().number;
  }

  /** Where the network is another, applying that is what makes connections anew: none is shown the tickets of the one before. */
  async function beginAfresh(): Promise<void> {
    if (config?.network === network.stay().partition) await engine.reconnect();
    observer.forget(engine.status());
    await settleNow();
  }

  function noteProof({ upstreams }: EngineStatus): void {
    if (config?.network === network.stay().partition && upstreams.some(isAuthenticated))
      network.noteAuthenticated();
  }

  /** Until nothing changes any more by what was just changed. */
  async function settleNow(why = 'it is not wanted any more'): Promise<void> {
    let steps = 0;
    while (!ended && (await step(why)) && ++steps < mostSteps);
    settled.tell(null);
  }

  /** Resolves to whether anything changed. */
  async function step(why: string): Promise<boolean> {
    await arrive();
    const engineNow = engine.status();
    noteProof(engineNow);
    for (const { group } of entries.closeEnded(engineNow)) asks.spend(group);
    const orders = ordersNow(inForce, position, engineNow);
    const asked = carryOutAsks(orders);
    const matching = entries.matching(orders.granted);
    if (matching !== null && isDeepStrictEqual(orders.config(matching), config)) {
      tellGuardian(orders.guardian, 'any');
      return asked;
    }
    if (now() >= refusedAt && now() - refusedAt < refusalRestMs) return false;
    const enforced = await enforce(inForce, position, why, orders);
    if (!enforced.ok) noteRefusal(enforced.failure);
    return enforced.ok;
  }

  /** The engine grants no lease, for lack of a place to count: not asked again every second, each time in the ledger. */
  function noteRefusal(failure: Failure): void {
    refusedAt = now();
    parts.health.raise('ledger-unwritable', `${sayRefusal(failure)}.`);
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

  /** An answer to a question, and what follows from it. */
  function answer(give: () => Result<Ask>, follow: () => Promise<void>): Promise<Result<Ask>> {
    return oneAtATime(async () => {
      const given = give();
      if (!given.ok) return given;
      await follow();
      parts.onChange();
      return succeed({ ...given.value });
    });
  }

  const first = await enforce(effective, position, 'the service started');
  if (!first.ok) return first;
  await settleNow();

  return succeed({
    adopt: (wanted) =>
      oneAtATime(async () => {
        await arrive();
        const before = rulesInForce(inForce, network);
        const adopted = await enforce(wanted, position, 'the settings changed');
        if (!adopted.ok) return adopted;
        // What a person said was said under other rules.
        for (const rules of rulesInForce(wanted, network))
          if (!before.some((old) => isDeepStrictEqual(old, rules))) asks.drop(rules.id);
        await settleNow('the settings changed');
        return adopted;
      }),

    turn: (next) =>
      oneAtATime(async () => {
        await arrive();
        const before = position;
        const written = writeSwitch(parts.switchFile, next);
        // Whoever wants to be private is, whatever the disk says; it is told all the same.
        if (!written.ok && next.protection !== 'on') return written;
        const applied = await enforce(inForce, next, sayTurn(next));
        if (!applied.ok) writeSwitch(parts.switchFile, before);
        else await settleNow();
        return applied.ok ? written : applied;
      }),

    setPortal: (next, why) =>
      oneAtATime(async () => {
        portal = next;
        await settleNow(why);
      }),

    settle() {
      settling ??= oneAtATime(() => {
        settling = null;
        return settleNow();
      });
      return settling;
    },

    reconnect: () => oneAtATime(beginAfresh),

    allow: async (id, minutes, answerer) => {
      const allowed = await answer(() => asks.allow(id, minutes, answerer), settleNow);
      return allowed.ok && !isCarriedOut(allowed.value) ? notInForce(id) : allowed;
    },
    deny: (id, answerer) => answer(() => asks.deny(id, answerer), settleNow),
    async retry(id, answerer) {
      const given = await answer(() => asks.retry(id, answerer), beginAfresh);
      if (!given.ok) return given;
      const { group } = given.value;
      const answered = await tryPrivatePaths({
        engine,
        upstreams: inForce.settings.upstreams.flatMap((one) =>
          isPrivate(one.transport) && (one.group ?? '') === group ? [one.id] : [],
        ),
        isReached: () => pathOf(group)?.kind === 'private',
        note: observer.probed,
        onSettled: (listener) => settled.add(listener),
        pause: parts.pause,
      });
      return oneAtATime(async () => {
        asks.tried(id);
        await settleNow();
        return succeed({ ...given.value, ...whatCame(group, answered) });
      });
    },

    asks: () => asks.list(),
    view(engineNow) {
      const facts = factsOf(inForce, position, engineNow);
      const rules = facts.groups.map((group) => group.rules);
      const path = facts.groups[0]?.path ?? { kind: 'none', upstream: '', why: '' };
      return { ...transition(facts), here: facts.here, rules, path };
    },
    position: () => position,
    inForce: () => inForce,
    standing: () => ledger.standing(),

    tick: () =>
      oneAtATime(async () => {
        if (ended) return;
        entries.syncCounts();
        await arrive();
        if (pauseIsOver()) {
          const on: Switch = { protection: 'on', since: now(), who: 'the end of the pause' };
          writeSwitch(parts.switchFile, on);
          await enforce(inForce, on, 'the pause ended');
        }
        await settleNow("the system's resolvers changed");
      }),

    end: () =>
      oneAtATime(async () => {
        ended = true;
        entries.closeOthers([], () => 'the service stopped');
      }),
  });

  /** The engine ends a pause by a clock that nobody sets; what it ended is over, whatever the time of day says. */
  function pauseIsOver(): boolean {
    if (position.protection !== 'paused') return false;
    if (!holds(position, now())) return true;
    return engine.status().clear.some((lease) => lease.class === 'paused' && lease.ended);
  }

  function pathOf(group: string): GroupPath | undefined {
    const { groups } = factsOf(inForce, position, engine.status());
    return groups.find(({ rules }) => rules.id === group)?.path;
  }

  /** `answered`: id of an upstream that a test reached, which the engine may not have done yet. */
  function whatCame(
    group: string,
    answered: string | null,
  ): Pick<RetriedAsk, 'reached' | 'whyNot' | 'next'> {
    const path = pathOf(group);
    const byTest = answered === null ? null : parts.labelOf(answered, inForce);
    const reached = path?.kind === 'private' ? path.upstream : byTest;
    const open = asks.current(group);
    return {
      reached,
      whyNot: reached !== null || path === undefined ? '' : sayWhyNot(path),
      next: open?.state === 'open' ? open.id : null,
    };
  }

  /** Its permission is on disk, or was not needed any more. */
  function isCarriedOut({ group }: Ask): boolean {
    return (
      entries.exposures().some((entry) => entry.group === group) ||
      pathOf(group)?.kind === 'private'
    );
  }
}

function placeOf(network: NetworkParts): Omit<NetworkHere, 'authenticated'> {
  return { id: network.stay().partition, label: network.label() };
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

function notInForce(id: string): Result<never> {
  return fail(
    'state-unwritable',
    'the permission could not be brought into force, so nothing is sent in clear',
    'see what is wrong: sotto status',
    id,
  );
}

export function pauseUntil(
  request: { minutes: number } | { untilRestart: true },
  now: number,
  who: string,
): Switch {
  const until = 'minutes' in request ? now + request.minutes * 60_000 : null;
  return { protection: 'paused', since: now, who, until };
}

/** The engine's refusal of settings that looked right: told as the settings' fault, with the engine's words. */
export function sayRefusal({ message, remedy, subject }: Failure): string {
  return [subject, `${message}; ${remedy}`].filter(Boolean).join(': ');
}

export function unknownUpstream(id: string): Result<never> {
  return fail('unknown-upstream', `there is no upstream "${id}"`, 'see: sotto upstream list', id);
}

function sayTurn({ protection, who }: Switch): string {
  const words = { on: 'switched on', off: 'switched off', paused: 'paused' };
  return `${words[protection]} by ${who}`;
}

/**
 * Brings about what `decide` says, one change at a time: it looks, compares with what is held, sets what is missing and gives
 * back what is not wanted. No query waits for anything here.
 */
import { isDeepStrictEqual } from 'node:util';
import { formatSocketAddress } from '../../contract/dns/socket-address.ts';
import { type Failure, type Result, succeed } from '../../contract/errors.ts';
import type {
  SystemDnsDetails,
  SystemDnsMechanism,
  SystemDnsStatus,
} from '../../contract/system/system-dns.ts';
import { inOrder } from '../base/in-order.ts';
import type { HeldLink } from '../network/behind-us.ts';
import type { CurrentNetwork } from '../network/current-network.ts';
import { carryOut } from './carry-out.ts';
import {
  choose,
  type Decision,
  type DecisionFacts,
  decide,
  type Seen,
  serversFor,
} from './decide.ts';
import { Defence, type DefenceParts, type Wish } from './defence.ts';
import { LinkChooser, searchIn } from './links-to-take.ts';
import type { Holding, Mechanism, ServerAddress } from './mechanism.ts';
import { type Held, type Plan, planOf, stands } from './plan.ts';
import { lineToStartHelper } from './start-helper.ts';

export interface SystemDnsParts extends DefenceParts {
  /** in order of preference; empty where we know none for this system */
  mechanisms: readonly Mechanism[];
  /** the setting "listen" */
  listen(): readonly string[];
  wanted(): Wanted;
  network: Pick<CurrentNetwork, 'snapshot' | 'onChange'>;
  /** Called before anything is taken, and after nothing is held any more; not called where no helper could be asked. */
  tellTaken(taken: boolean): void;
  /** The rest of the service learns which links we hold, and the resolvers they had before us. */
  weHold(links: readonly HeldLink[]): void;
  /** the network's own resolvers, "ip:port" each */
  own(): string[];
  /** The system's DNS is with us, newly or again. */
  onTaken(): void;
  onChange(): void;
}

export type Wanted = Pick<DecisionFacts, 'take' | 'mechanism' | 'position' | 'listening'> &
  Pick<Wish, 'strict'> & { close: Wish['setting'] };

export interface SystemDns {
  status(): SystemDnsStatus | null;
  details(): Promise<SystemDnsDetails>;
  /** Reads what an earlier run holds; nothing is changed before `begin`. */
  learn(): Promise<void>;
  begin(): Promise<void>;
  /** Something may have changed; resolves when that is settled. It costs nothing where nothing did. */
  settle(): Promise<void>;
  /** A person asks for it: what failed or was given up is tried again. */
  insist(): Promise<void>;
  /** Empties the system's caches, where the system is led to us. */
  flush(): Promise<Result<null>>;
  /** To be called every second. */
  tick(): void;
  /**
   * Nothing changes from then on, except that the system's original settings are restored on request. It takes a few seconds at
   * most.
   */
  end(how: { giveBack: boolean }): Promise<void>;
}

const firstRetryMs = 2000;
const longestRetryMs = 8000;
/** After so long our settings are looked at once more, because others may have made changes at the same time. */
const recheckMs = 2000;
const restartMs = 30_000;
/** A helper that hangs must not keep the program from ending. */
const endWithinMs = 5000;

export function createSystemDns(parts: SystemDnsParts): SystemDns {
  const { mechanisms, health, now } = parts;
  const chooser = new LinkChooser();
  const defence = new Defence(parts);
  let ending = false;
  let held: Held[] = [];
  let decision: Decision = { kind: 'give-back', why: null };
  /** what would hold it; clients offer it to a person */
  let offered: SystemDnsMechanism | null = null;
  let trouble: Failure | null = null;
  /** the links that were told when coverage was last examined */
  let covered: (string | undefined)[] = [];
  const inTurn = inOrder();
  /** every address on which we have listened in this run */
  const addresses = new Set<string>();
  /** a person has just asked for it, so everything is tried again */
  let insisting = false;
  /** the work that goes on at once where the system seems to use another resolver */
  let rejecting: Promise<void> = Promise.resolve();
  /** the facts of the last look; null: look again in any case */
  let settledFor: unknown = null;
  let retryMs = firstRetryMs;
  let lookAgainAt = Number.POSITIVE_INFINITY;
  let awaySince = Number.POSITIVE_INFINITY;
  /** empty before `begin` */
  let ends: (() => void)[] = [];

  function listen(): void {
    ends = mechanisms.map((mechanism) =>
      mechanism.follow(() => {
        const own = held.filter((one) => one.mechanism === mechanism.name);
        if (own.length === 0) return;
        if (mechanism.leadsAway?.(own) === true)
          rejecting = defence.suspect(wishOf(parts.wanted()));
        void lookAnew();
      }),
    );
    ends.push(
      parts.network.onChange(({ moved }) => {
        if (!moved) return void settle();
        defence.forgive();
        retryMs = firstRetryMs;
        void lookAnew();
      }),
    );
  }

  function lookAnew(): Promise<void> {
    settledFor = null;
    return settle();
  }

  const settle = async () => {
    if (ends.length > 0) await inTurn(settleNow);
  };

  async function settleNow(): Promise<void> {
    const snapshot = parts.network.snapshot();
    const chosen = chooser.choose(snapshot, now());
    const wanted = parts.wanted();
    const facts = { ...wanted, links: chosen.links, search: searchIn(snapshot.links), ending };
    lookAgainBy(chosen.askAgainAt);
    if (isDeepStrictEqual(facts, settledFor)) return;
    settledFor = facts;
    const wish = wishOf(wanted);
    const read = await readAndDefend(wish);
    if (!read.ok) {
      if (!wanted.take) offer(wanted, await look());
      return failed(read.failure, wanted.take && wanted.position !== 'off');
    }
    const seen = await look();
    const contested = defence.isLost(wish);
    decision = decide({ ...facts, contested, seen, ...heldBy(seen) });
    offer(wanted, seen);
    const done = await bringAbout(decision);
    await readHoldings();
    const defended = await defence.settle(wish);
    conclude(done.ok ? defended : done);
    lookAgainBy(defence.retakeAt(), defence.lateAt(), defence.calmAt());
  }

  /** Also where nothing is wanted, and where nobody could be asked what is held. */
  function offer({ mechanism }: Wanted, seen: readonly Seen[]): void {
    const before = offered;
    offered = choose({ mechanism, seen, loyalTo: null })?.name ?? null;
    if (offered !== before) parts.onChange();
  }

  /** At the first of these moments, or sooner; null: there is no such moment. */
  function lookAgainBy(...moments: (number | null)[]): void {
    lookAgainAt = Math.min(lookAgainAt, ...moments.filter((at) => at !== null));
  }

  function conclude(done: Result<null>): void {
    if (done.ok) settled();
    else failed(done.failure, true);
  }

  /** What goes past us is rejected before any slower step. */
  async function readAndDefend(wish: Wish): Promise<Result<null>> {
    await rejecting;
    const read = await readHoldings();
    if (read.ok) return await defence.settleIfOverwritten(wish);
    if (held.length > 0) await defence.settle(wish, true);
    return read;
  }

  function wishOf({ take, position, close: setting, strict }: Wanted): Wish {
    return { setting, strict, wanted: take && position !== 'off' && !ending };
  }

  /** A mechanism that holds it is left for another only after it was away for longer than a restart takes. */
  function heldBy(seen: readonly Seen[]): Pick<DecisionFacts, 'holder' | 'loyalTo'> {
    const holder = held[0]?.mechanism ?? null;
    const isAway = seen.some(({ name, usable }) => name === holder && !usable);
    awaySince = isAway ? Math.min(awaySince, now()) : Number.POSITIVE_INFINITY;
    return { holder, loyalTo: isAway && now() - awaySince < restartMs ? holder : null };
  }

  const look = async () =>
    await Promise.all(
      mechanisms.map(async (mechanism) => ({
        name: mechanism.name,
        perLink: mechanism.perLink,
        anyPort: mechanism.anyPort,
        ...(await mechanism.look()),
      })),
    );

  /** The helper has one journal for every Sotto of this machine; we do not give back what leads to another one. */
  function isOurs({ servers }: Holding): boolean {
    for (const server of serversFor(parts.listen(), true)) addresses.add(keyOf(server));
    return insisting || servers.some((server) => addresses.has(keyOf(server)));
  }

  async function readHoldings(): Promise<Result<null>> {
    const found: Held[] = [];
    defence.beginLook();
    const all = mechanisms.map(async ({ name, holdings }) => ({ name, read: await holdings() }));
    for (const { name, read } of await Promise.all(all)) {
      if (!read.ok) return read;
      found.push(...read.value.filter(isOurs).map((holding) => ({ ...holding, mechanism: name })));
    }
    held = found;
    defence.look(held);
    parts.tellTaken(held.length > 0);
    const told = held.filter(({ overBoot }) => overBoot !== true);
    parts.weHold(told.map(heldLink));
    return succeed(null);
  }

  async function bringAbout(decided: Decision): Promise<Result<null>> {
    if (decided.kind === 'wait') return { ok: false, failure: decided.failure };
    const plan = planOf(held, decided);
    return isDue(plan) ? await change(plan, serversIn(decided)) : succeed(null);
  }

  function isDue({ giveBack, take }: Plan): boolean {
    return giveBack.length > 0 || (take.length > 0 && defence.mayRetake());
  }

  async function change(plan: Plan, servers: readonly ServerAddress[]): Promise<Result<null>> {
    const takes = plan.take.length > 0;
    if (takes) parts.tellTaken(true);
    lookAgainBy(ending ? null : now() + recheckMs);
    const done = await carryOut(plan, servers, named);
    if (done.ok && takes) defence.told();
    return done;
  }

  function named(name: SystemDnsMechanism): Mechanism {
    const found = mechanisms.find((mechanism) => mechanism.name === name);
    if (found === undefined) throw new Error(`there is no mechanism ${name}`);
    return found;
  }

  function settled(): void {
    const standing = held.filter(stands).map(({ link }) => link?.name);
    if (standing.length > 0 && !isDeepStrictEqual(standing, covered)) parts.onTaken();
    covered = standing;
    trouble = decision.kind === 'take' ? decision.otherwise : null;
    retryMs = firstRetryMs;
    health.clear('system-dns-not-taken');
    health.clear('system-dns-stuck');
    if (trouble === null) health.clear('system-dns-otherwise');
    else {
      health.raise('system-dns-otherwise', sentenceOf(trouble));
      lookAgainBy(now() + longestRetryMs);
      settledFor = null;
    }
    defence.tell();
    parts.onChange();
  }

  /** Tries again, after longer and longer pauses, where it is wanted. */
  function failed(failure: Failure, wanted: boolean): void {
    trouble = wanted ? failure : null;
    if (!wanted) return;
    defence.tell();
    settledFor = null;
    lookAgainAt = now() + retryMs;
    retryMs = Math.min(retryMs * 2, longestRetryMs);
    const stuck = decision.kind === 'give-back' && held.length > 0;
    health.clear(stuck ? 'system-dns-not-taken' : 'system-dns-stuck');
    health.clear('system-dns-otherwise');
    health.raise(stuck ? 'system-dns-stuck' : 'system-dns-not-taken', sentenceOf(failure));
    parts.onChange();
  }

  function status(): SystemDnsStatus | null {
    if (mechanisms.length === 0) return null;
    const standing = held.filter(stands);
    const taken = standing.length > 0;
    const planned = decision.kind === 'give-back' ? offered : decision.mechanism;
    const mechanism: SystemDnsMechanism | null = standing[0]?.mechanism ?? planned;
    return {
      mechanism,
      wanted: parts.wanted().take,
      taken,
      since: taken ? Math.min(...standing.map(({ since }) => since)) : null,
      links: standing.flatMap(({ link }) => (link === null ? [] : [link.name])).sort(),
      givenBackFor: taken || decision.kind !== 'give-back' ? null : decision.why,
      contest: defence.status(),
      trouble,
    };
  }

  return {
    status,

    async details() {
      const [first] = mechanisms;
      const read = first === undefined ? null : await first.holdings();
      const seen = await look();
      return {
        status: status(),
        found: seen.map(({ name: mechanism, usable, why }) => ({ mechanism, usable, why })),
        own: parts.own(),
        helper: read?.ok ? { held: held.length } : null,
        startHelper: lineToStartHelper(),
        gate: defence.gate(),
      };
    },

    learn: () =>
      inTurn(async () => {
        await defence.learn();
        await readHoldings();
      }),

    begin() {
      listen();
      return settle();
    },

    settle,

    async insist() {
      defence.beginAgain();
      retryMs = firstRetryMs;
      insisting = true;
      await lookAnew();
      insisting = false;
    },

    async flush() {
      const [first] = held;
      return first === undefined ? succeed(null) : await named(first.mechanism).flush();
    },

    tick() {
      if (now() < lookAgainAt) return;
      lookAgainAt = Number.POSITIVE_INFINITY;
      void lookAnew();
    },

    async end({ giveBack }) {
      for (const stop of ends) stop();
      ending = giveBack;
      if (!giveBack) ends = [];
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, endWithinMs);
      });
      // What is being taken at this moment is held only when that is done.
      const settled = inTurn(async () => {}).then(() =>
        giveBack && (held.length > 0 || defence.gate().closed !== null) ? settle() : undefined,
      );
      await Promise.race([settled, late]);
      clearTimeout(timer);
    },
  };
}

function sentenceOf({ message }: Failure): string {
  return `${message.replace(/^./, (first) => first.toUpperCase())}${message.endsWith('.') ? '' : '.'}`;
}

function serversIn(decided: Decision): readonly ServerAddress[] {
  return decided.kind === 'take' ? decided.servers : [];
}

function heldLink({ link, servers, before }: Held): HeldLink {
  return { interface: link?.name ?? null, servers: servers.map(keyOf), before };
}

function keyOf({ address, port }: ServerAddress): string {
  return formatSocketAddress(address, port);
}

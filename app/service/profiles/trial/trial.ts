/**
 * Whether the upstreams of a new version work where the machine is. Where they do not, and those of the version before do, that one
 * stands in on this network (rolled-back.ts), and the new one is tried again, later each time. Where neither works, the network
 * is at fault, and nothing changes.
 */
import { type Result, succeed } from '../../../contract/errors.ts';
import { isPrivate } from '../../../contract/settings/upstream-settings.ts';
import { noNetwork } from '../../../contract/system/no-network.ts';
import type { InOrder } from '../../base/in-order.ts';
import { compileUpstream, upstreamsOf } from '../../engine/compile-config.ts';
import type { EngineDriver } from '../../engine/engine-driver.ts';
import type { Identities } from '../../identities/identity-store.ts';
import type { Journal } from '../../logging/journal.ts';
import type { EffectiveSettings } from '../../settings/load-settings.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { bringIntoForce, type ForceParts } from '../bring-into-force.ts';
import { type Enrolment, entriesOf, formerAt, layerOf } from '../enrolment.ts';
import { rolledBack } from './rolled-back.ts';

export interface TrialParts extends ForceParts {
  store: Pick<SettingsStore, 'current' | 'considerProfile'>;
  engine: Pick<EngineDriver, 'askUpstream' | 'probe'>;
  inTurn: InOrder;
  journal: Pick<Journal, 'note'>;
  /** the network's resolvers */
  servers(): readonly string[];
  onBug(error: unknown): void;
}

export interface Trial {
  /** There is a new version, or the machine came to another network. */
  lookSoon(): void;
  end(): void;
}

const second = 1000;
const soonMs = 2 * second;
const everyMs = 5 * second;
/** A restart of the server, or a network that is still coming up, is over by then. */
const looksInVain = 4;
const restMs = { least: 60 * second, most: 1_800 * second };

/** It carries no user's name. */
const query = { name: '.', type: 'NS' };
const timeoutMs = 4 * second;

export function startTrial(parts: TrialParts): Trial {
  const { enrolment, file, store, engine, inTurn, journal, servers, onBug } = parts;
  let timer: NodeJS.Timeout | null = null;
  let ended = false;
  let inVain = 0;

  function arm(inMs: number): void {
    if (timer !== null) clearTimeout(timer);
    if (ended) return;
    timer = setTimeout(() => void lookAndGoOn(), inMs).unref();
  }

  /** One that fails by a bug is not the last one. */
  async function lookAndGoOn(): Promise<void> {
    try {
      await look();
    } catch (error) {
      onBug(error);
      arm(restMs.least);
    }
  }

  async function look(): Promise<void> {
    const enrolled = enrolment.current();
    const network = enrolment.here().id;
    if (enrolled === null || !isOpen(enrolled, network)) return;
    const works = await newOnesWork(enrolled, network);
    if (works === null) return;
    const goesOnIn = works ? await finish(enrolled, network) : await goOn(enrolled, network);
    if (goesOnIn !== null) arm(goesOnIn);
  }

  /** Null: nothing is left to look at here. */
  async function finish(enrolled: Enrolment, network: string): Promise<number | null> {
    return (await conclude(enrolled, network, 'worked')) ? null : restMs.least;
  }

  async function goOn(enrolled: Enrolment, network: string): Promise<number> {
    inVain += 1;
    const rests = await shouldRest(enrolled, network);
    if (rests && !(await conclude(enrolled, network, 'resting'))) return restMs.least;
    return waitAfter(enrolment.current());
  }

  function waitAfter(enrolled: Enrolment | null): number {
    const rests = enrolled !== null && formerAt(enrolled, enrolment.here().id) !== null;
    return rests ? Math.min(restMs.most, restMs.least * 2 ** Math.max(0, inVain - 1)) : everyMs;
  }

  /** Null: it says nothing of the upstreams that are in use. */
  async function newOnesWork(enrolled: Enrolment, network: string): Promise<boolean | null> {
    const wanted = inForceWith({ ...enrolled, trial: null }, network);
    if (wanted === null) return null;
    const isInUse = formerAt(enrolled, network) === null;
    return await someWorks(wanted, isInUse ? asksInUse : asksAnew);
  }

  async function shouldRest(enrolled: Enrolment, network: string): Promise<boolean> {
    if (inVain < looksInVain || formerAt(enrolled, network) !== null) return false;
    const resting = inForceWith(withNetwork(enrolled, network, 'resting'), network);
    return resting !== null && (await someWorks(resting, asksAnew));
  }

  function inForceWith(enrolled: Enrolment, network: string): EffectiveSettings | null {
    const here = { ...enrolment.here(), id: network };
    const { effective } = store.considerProfile(layerOf(file, enrolled, here));
    return effective?.sources.upstreams.layer === 'profile' ? effective : null;
  }

  const asksInUse: Asking = async ({ id }) => {
    const asked = await engine.askUpstream(id, query.name, query.type);
    return asked.ok && asked.value.response !== null;
  };

  /** By a connection of its own, with the authentication that the settings want. */
  const asksAnew: Asking = async (upstream, { certificates, settings }) => {
    const sources = {
      certificates,
      identities: noIdentities,
      ...upstreamsOf(settings),
      networkResolvers: servers(),
    };
    const { transport, addresses, names, pins, ca, ...rest } = compileUpstream(upstream, sources);
    const { certificatePins, proxy, starttls, encdns, postQuantum } = rest;
    const how = { proxy, starttls, encdns, postQuantum, timeoutMs };
    const server = { transport, addresses, names, pins, certificatePins, ca, ...how };
    const probed = await engine.probe(query, server);
    return probed.ok && probed.value.ok;
  };

  /**
   * What was found holds only where machine and profile are still those of the look. False: it could not be brought into force, and
   * each attempt takes connections away.
   */
  async function conclude(enrolled: Enrolment, network: string, as: Verdict): Promise<boolean> {
    const concluded = await inTurn(async (): Promise<Result<unknown>> => {
      if (ended || enrolment.current() !== enrolled || enrolment.here().id !== network)
        return succeed(null);
      const kept = await bringIntoForce(withNetwork(enrolled, network, as), parts);
      if (kept.ok) tell(enrolled, network, as);
      return kept;
    });
    if (!concluded.ok) journal.note('not-kept', { what: 'profile', why: concluded.failure.code });
    return concluded.ok;
  }

  function tell(enrolled: Enrolment, network: string, as: Verdict): void {
    inVain = 0;
    const { id, serial, trial } = enrolled;
    if (as === 'resting')
      journal.note('profile-rests', { id, serial, former: trial?.former.serial ?? 0 });
    else if (formerAt(enrolled, network) !== null) journal.note('profile-works', { id, serial });
  }

  arm(soonMs);
  return {
    lookSoon() {
      inVain = 0;
      arm(soonMs);
    },
    end() {
      ended = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

type Verdict = 'worked' | 'resting';
type Asking = (
  upstream: EffectiveSettings['settings']['upstreams'][number],
  of: EffectiveSettings,
) => Promise<boolean>;

/** Null: nothing of the version before could come back. */
export function trialOf(
  before: Enrolment | null,
  { serial, holds }: Pick<Enrolment, 'serial' | 'holds'>,
): Enrolment['trial'] {
  if (before === null || before.serial === serial) return before?.trial ?? null;
  const { trial } = before;
  // A version that worked nowhere is none to come back to.
  const former = trial?.worked.length === 0 ? trial.former : before;
  if (rolledBack(entriesOf({ holds }), entriesOf(former)) === null) return null;
  return { former: { serial: former.serial, holds: former.holds }, worked: [], resting: [] };
}

function isOpen({ trial }: Enrolment, network: string): boolean {
  return trial !== null && network !== noNetwork && !trial.worked.includes(network);
}

/** More than a laptop meets before the next version; the oldest are forgotten. */
const mostNetworks = 64;

function withNetwork(enrolled: Enrolment, network: string, as: Verdict): Enrolment {
  const { trial } = enrolled;
  if (trial === null) return enrolled;
  const without = (of: readonly string[]) => of.filter((one) => one !== network);
  const others = { worked: without(trial.worked), resting: without(trial.resting) };
  const noted = { ...others, [as]: [...others[as], network].slice(-mostNetworks) };
  return { ...enrolled, trial: { ...trial, ...noted } };
}

/** Of those that any name may be asked of; the others are of groups, whose names alone would fail. */
async function someWorks(effective: EffectiveSettings, asks: Asking): Promise<boolean> {
  const asked = effective.settings.upstreams
    .filter(({ transport, group }) => isPrivate(transport) && group === undefined)
    .map(async (upstream) => {
      if (!(await asks(upstream, effective))) throw failed;
    });
  return await Promise.any(asked).then(
    () => true,
    () => false,
  );
}

/** Those who are shown one have no version to come back to (rolled-back.ts). */
const noIdentities: Identities = new Map();

const failed = new Error('the upstream does not work');

/**
 * Looks for later versions at the source of the profile: soon after the start, then every hour or so, sooner where it failed and
 * where the machine comes to another network. Each time is spread by chance, so that a fleet does not come at once.
 */
import { type Failure, type Result, succeed } from '../../../contract/errors.ts';
import type { DeliveryStatus } from '../../../contract/settings/profile-methods.ts';
import { type Enrolment, keysOf } from '../enrolment.ts';
import { newestFirst, type Signed } from '../judge-version.ts';
import { type Fetching, fetchSource } from './fetch-source.ts';
import type { Found } from './read-files.ts';

export interface DeliveryParts {
  enrolled(): Enrolment | null;
  update(signed: Signed): Promise<Result<{ problems: string[] }>>;
  /** What is not even given to `update`; `octets`: by which it is known again */
  refused(failure: Failure, octets: string): void;
  /** Not whole: the source was not reached. */
  looked(isWhole: boolean): void;
  fetching(source: string, address: string | null, signal: AbortSignal): Fetching;
  now(): number;
  onChange(): void;
  onBug(error: unknown): void;
  /** at least 0 and less than 1 */
  random?(): number;
}

export interface Delivery {
  /** null: somebody brings the versions */
  status(): DeliveryStatus | null;
  /** Resolves to the errors in single keys of a version that came, and why a later one was not taken; to none where none came. */
  look(): Promise<Result<Pick<Taken, 'problems' | 'notYet'>>>;
  /** Soon: the source, or the network, is another. */
  lookSoon(): void;
  /** The machine left: nothing is known of a source any more. */
  forget(): void;
  end(): void;
}

const minute = 60_000;
const hour = 60 * minute;
const soonMs = 5_000;

export function startDelivery(parts: DeliveryParts): Delivery {
  const { enrolled, now, onChange, onBug, random = Math.random } = parts;
  const ending = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<Result<Taken>> | null = null;
  let failures = 0;
  let told: { source: string; status: DeliveryStatus; tag: string | null } | null = null;

  function arm(inMs: number): void {
    if (timer !== null) clearTimeout(timer);
    if (ending.signal.aborted) return;
    // Half of it at the least, and half as much again at the most.
    timer = setTimeout(() => void look().catch(onBug), inMs * (0.5 + random())).unref();
  }

  function wait(): number {
    if (failures > 0) return Math.min(hour, minute * 2 ** (failures - 1));
    return enrolled()?.source?.startsWith('file:') === true ? minute : hour;
  }

  /** Whoever asks while it is being looked gets the outcome of that. */
  function look(): Promise<Result<Taken>> {
    looking ??= lookOnce().finally(() => {
      looking = null;
      arm(wait());
      onChange();
    });
    return looking;
  }

  async function lookOnce(): Promise<Result<Taken>> {
    const enrolment = enrolled();
    const source = enrolment?.source ?? null;
    return enrolment === null || source === null
      ? succeed({ problems: [], isTaken: false, notYet: null })
      : await lookAt(source, enrolment);
  }

  async function lookAt(source: string, enrolment: Enrolment): Promise<Result<Taken>> {
    const before = told?.source === source ? told : noNews;
    const from = parts.fetching(source, enrolment.address, ending.signal);
    const found = await fetchSource(from, before.tag, keysOf(enrolment));
    const { versions, refused } = partsOf(found);
    const taken = found.ok ? await takeNewest(versions, enrolment) : found;
    for (const one of refused) parts.refused(one.failure, one.octets);
    parts.looked(found.ok || found.failure.code !== 'profile-unreachable');
    failures = taken.ok ? 0 : failures + 1;
    told = {
      source,
      tag: tagAfter(found, taken, before.tag),
      status: statusAfter(taken, refused[0]?.failure ?? null, before.status),
    };
    return taken;
  }

  /** The newest first; one that is for other machines gives way to the one before it. */
  async function takeNewest(
    versions: readonly Signed[],
    enrolment: Enrolment,
  ): Promise<Result<Taken>> {
    let notYet: string | null = null;
    for (const version of newestFirst(versions, keysOf(enrolment), enrolment.serial)) {
      const taken = await take(version, enrolment);
      if (taken.ok) return succeed({ ...taken.value, notYet });
      if (taken.failure.code !== 'profile-not-yet') return taken;
      notYet ??= taken.failure.message;
    }
    return succeed({ problems: [], isTaken: versions.length === 0, notYet });
  }

  async function take(version: Signed, { profile }: Enrolment): Promise<Result<Taken>> {
    const isEnding = ending.signal.aborted;
    const isTaken = { isTaken: true, notYet: null };
    if (isEnding || version.profile === profile) return succeed({ problems: [], ...isTaken });
    const taken = await parts.update(version);
    return taken.ok ? succeed({ problems: taken.value.problems, ...isTaken }) : taken;
  }

  /** `refused`: beside what was taken. */
  function statusAfter(
    taken: Result<Taken>,
    refused: Failure | null,
    before: DeliveryStatus,
  ): DeliveryStatus {
    const lookedAt = now();
    const { code, message } = (taken.ok ? refused : taken.failure) ?? { code: null, message: null };
    return {
      lookedAt,
      succeededAt: taken.ok ? lookedAt : before.succeededAt,
      problem: message,
      isRefused: code !== null && code !== 'profile-unreachable',
      notYet: taken.ok ? taken.value.notYet : null,
    };
  }

  arm(soonMs);
  return {
    status() {
      const source = enrolled()?.source ?? null;
      if (source === null) return null;
      return told?.source === source ? told.status : neverLooked;
    },
    look,
    lookSoon() {
      failures = 0;
      arm(soonMs);
    },
    forget() {
      told = null;
      failures = 0;
      onChange();
    },
    end() {
      if (timer !== null) clearTimeout(timer);
      ending.abort();
    },
  };
}

function partsOf(found: Result<Found | null>): Pick<Found, 'versions' | 'refused'> {
  if (!found.ok) return { versions: [], refused: [{ failure: found.failure, octets: '' }] };
  return found.value ?? { versions: [], refused: [] };
}

interface Taken {
  problems: string[];
  /** it, or the same as it, is in force */
  isTaken: boolean;
  /** why a later one was not */
  notYet: string | null;
}

const neverLooked: DeliveryStatus = {
  lookedAt: null,
  succeededAt: null,
  problem: null,
  isRefused: false,
  notYet: null,
};
const noNews = { status: neverLooked, tag: null };

/** What was not taken is read again the next time: its time, its ring or its signature may have come. */
function tagAfter(
  found: Result<Found | null>,
  taken: Result<Taken>,
  before: string | null,
): string | null {
  if (!found.ok || !taken.ok || !taken.value.isTaken) return null;
  return found.value === null ? before : found.value.tag;
}

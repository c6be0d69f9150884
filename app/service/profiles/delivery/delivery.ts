/**
 * Looks for later versions at the source of the profile: soon after the start, then every hour or so, sooner where it failed and
 * where the machine comes to another network. Each time is spread by chance, so that a fleet does not come at once.
 */
import { type Result, succeed } from '../../../contract/errors.ts';
import type { DeliveryStatus } from '../../../contract/settings/profile-methods.ts';
import { type Enrolment, keysOf } from '../enrolment.ts';
import { newestFirst, type Signed } from '../judge-version.ts';
import { type Fetching, type Found, fetchSource } from './fetch-source.ts';

export interface DeliveryParts {
  enrolled(): Enrolment | null;
  update(signed: Signed): Promise<Result<{ problems: string[] }>>;
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
  /** Resolves to the errors in single keys of a version that came; to none where none came. */
  look(): Promise<Result<{ problems: string[] }>>;
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
      ? succeed({ problems: [], isTaken: false })
      : await lookAt(source, enrolment);
  }

  async function lookAt(source: string, enrolment: Enrolment): Promise<Result<Taken>> {
    const before = told?.source === source ? told : noNews;
    const from = parts.fetching(source, enrolment.address, ending.signal);
    const found = await fetchSource(from, before.tag);
    const taken = found.ok ? await takeNewest(found.value?.versions ?? [], enrolment) : found;
    failures = taken.ok ? 0 : failures + 1;
    told = {
      source,
      tag: tagAfter(found, taken, before.tag),
      status: statusAfter(taken, before.status),
    };
    return taken;
  }

  /** The newest first; one that is for other machines gives way to the one before it. */
  async function takeNewest(
    versions: readonly Signed[],
    enrolment: Enrolment,
  ): Promise<Result<Taken>> {
    for (const version of newestFirst(versions, keysOf(enrolment), enrolment.serial)) {
      const taken = await take(version, enrolment);
      if (taken.ok || taken.failure.code !== 'profile-not-yet') return taken;
    }
    return succeed({ problems: [], isTaken: versions.length === 0 });
  }

  async function take(version: Signed, { profile }: Enrolment): Promise<Result<Taken>> {
    const isEnding = ending.signal.aborted;
    if (isEnding || version.profile === profile) return succeed({ problems: [], isTaken: true });
    const taken = await parts.update(version);
    return taken.ok ? succeed({ problems: taken.value.problems, isTaken: true }) : taken;
  }

  function statusAfter(taken: Result<unknown>, before: DeliveryStatus): DeliveryStatus {
    const lookedAt = now();
    if (taken.ok) return { ...neverLooked, lookedAt, succeededAt: lookedAt };
    const { code, message } = taken.failure;
    const isRefused = code !== 'profile-unreachable';
    return { lookedAt, succeededAt: before.succeededAt, problem: message, isRefused };
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

interface Taken {
  problems: string[];
  /** it, or the same as it, is in force */
  isTaken: boolean;
}

const neverLooked: DeliveryStatus = {
  lookedAt: null,
  succeededAt: null,
  problem: null,
  isRefused: false,
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

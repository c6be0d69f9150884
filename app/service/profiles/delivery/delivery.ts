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
  update(signed: Signed): Promise<Result<unknown>>;
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
  /** Resolves to whether another version is in force now. */
  look(): Promise<Result<{ isNew: boolean }>>;
  /** Soon: the source, or the network, is another. */
  lookSoon(): void;
  end(): void;
}

const minute = 60_000;
const usual = { 'https:': 60 * minute, 'file:': minute };
const soonMs = 5_000;
const longestMs = 60 * minute;

export function startDelivery(parts: DeliveryParts): Delivery {
  const { enrolled, now, onChange, onBug, random = Math.random } = parts;
  const ending = new AbortController();
  let timer: NodeJS.Timeout | null = null;
  let looking: Promise<Result<{ isNew: boolean }>> | null = null;
  let failures = 0;
  let told: { source: string; status: DeliveryStatus; tag: string | null } | null = null;

  function arm(inMs: number): void {
    if (timer !== null) clearTimeout(timer);
    if (ending.signal.aborted) return;
    // Half of it at the least, and half as much again at the most.
    timer = setTimeout(() => void look().catch(onBug), inMs * (0.5 + random())).unref();
  }

  function wait(): number {
    const source = enrolled()?.source ?? 'https:';
    const usually = source.startsWith('file:') ? usual['file:'] : usual['https:'];
    return failures === 0 ? usually : Math.min(longestMs, minute * 2 ** (failures - 1));
  }

  /** Whoever asks while it is being looked gets the outcome of that. */
  function look(): Promise<Result<{ isNew: boolean }>> {
    looking ??= lookOnce().finally(() => {
      looking = null;
      arm(wait());
      onChange();
    });
    return looking;
  }

  async function lookOnce(): Promise<Result<{ isNew: boolean }>> {
    const enrolment = enrolled();
    const source = enrolment?.source ?? null;
    return enrolment === null || source === null
      ? succeed({ isNew: false })
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
    return succeed({ isNew: false, isTaken: versions.length === 0 });
  }

  async function take(version: Signed, { profile }: Enrolment): Promise<Result<Taken>> {
    if (version.profile === profile) return succeed({ isNew: false, isTaken: true });
    const taken = await parts.update(version);
    return taken.ok ? succeed({ isNew: true, isTaken: true }) : taken;
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
    end() {
      if (timer !== null) clearTimeout(timer);
      ending.abort();
    },
  };
}

interface Taken {
  isNew: boolean;
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

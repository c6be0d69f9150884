/** Consent requests, one at a time for a group: opened, answered, or closed by themselves. No effects beyond that. */

import { fail, type Result, succeed } from '../../contract/errors.ts';
import type {
  ConsentRequest,
  ConsentRequestState,
} from '../../contract/protection/consent-request.ts';
import type { Role } from '../../contract/service-api.ts';
import type { MachineClock } from '../base/machine-clock.ts';

export type NewConsentRequest = Pick<
  ConsentRequest,
  'network' | 'networkLabel' | 'group' | 'upstream' | 'why' | 'rungs' | 'consent'
>;

/** A person who answers, and what they may do. */
export interface Answerer {
  who: string;
  role: Role;
}

export interface ConsentRequests {
  open(request: NewConsentRequest): ConsentRequest;
  /** The request whose answer, or missing answer, counts for this group now. */
  current(group: string): ConsentRequest | null;
  allow(id: string, minutes: number, answerer: Answerer): Result<ConsentRequest>;
  deny(id: string, answerer: Answerer): Result<ConsentRequest>;
  /** Also for a request that was answered "no", or not at all. */
  retry(id: string, answerer: Answerer): Result<ConsentRequest>;
  /** The deadline has passed. */
  expire(group: string): void;
  /** Neither the request nor its answer counts any more; without a group: none does. */
  drop(group?: string): void;
  /** The time allowed is over, whatever the time of day is. */
  spend(group: string): void;
  /** The private paths were tried again. */
  tried(id: string): void;
  /** Newest first. */
  list(): ConsentRequest[];
}

/** After this time without an answer, a request counts as answered with "stay private". */
export const consentDeadlineMs = 10 * 60_000;

const mostKept = 50;

/** Somebody set the clock, when it runs away from the other one by more. */
const toleratedMs = 2_000;
const times = ['openedAt', 'deadline', 'answeredAt', 'until'] as const;

/** `clock`: its times are those of the clock as it is set, and last as long as they were said to, whoever sets it. */
export function createConsentRequests(
  clock: Pick<MachineClock, 'wall' | 'sinceBoot'>,
  newId: () => string,
): ConsentRequests {
  const now = clock.wall;
  const kept: ConsentRequest[] = [];
  let setTo = clock.wall() - clock.sinceBoot();
  const current = new Map<string, ConsentRequest>();

  function change(request: ConsentRequest, changes: Partial<ConsentRequest>): ConsentRequest {
    return Object.assign(request, changes);
  }

  /** To be called before anything is read or said: a clock that was set takes all times along. */
  function followClock(): void {
    const moved = clock.wall() - clock.sinceBoot() - setTo;
    if (Math.abs(moved) <= toleratedMs) return;
    setTo += moved;
    for (const request of kept) change(request, movedBy(moved, request));
  }

  /** Every person who knows the id can answer a request in one of the states. */
  function answer(
    id: string,
    state: ConsentRequestState,
    { who }: Answerer,
    from: readonly ConsentRequestState[],
    until: number | null = null,
  ): Result<ConsentRequest> {
    followClock();
    const request = kept.find((one) => one.id === id);
    if (request === undefined)
      return fail(
        'unknown-consent-request',
        `there is no consent request "${id}"`,
        'see: sotto consent list',
        id,
      );
    if (request.state === 'open' && request.deadline <= now())
      change(request, { state: 'unanswered' });
    if (current.get(request.group) !== request || !from.includes(request.state))
      return closed(request);
    return succeed(change(request, { state, who, until, answeredAt: now() }));
  }

  function closed(request: ConsentRequest): Result<never> {
    const again = current.get(request.group) === request && canRetry.includes(request.state);
    return fail(
      'consent-request-closed',
      `the consent request "${request.id}" is closed: ${sayState(request)}`,
      again ? `to be asked anew: sotto consent retry ${request.id}` : 'see: sotto consent list',
      request.id,
    );
  }

  function drop(group: string): void {
    const request = current.get(group);
    if (request?.state === 'open') change(request, { state: 'withdrawn' });
    current.delete(group);
  }

  return {
    open(about) {
      followClock();
      drop(about.group);
      const openedAt = now();
      const request: ConsentRequest = {
        ...about,
        id: newId(),
        openedAt,
        deadline: openedAt + consentDeadlineMs,
        state: 'open',
        answeredAt: null,
        who: null,
        until: null,
      };
      kept.unshift(request);
      kept.length = Math.min(kept.length, mostKept);
      current.set(about.group, request);
      return request;
    },
    current(group) {
      followClock();
      return current.get(group) ?? null;
    },

    allow(id, minutes, answerer) {
      const request = kept.find((one) => one.id === id);
      if (request?.consent === 'administrator' && answerer.role !== 'administer')
        return fail(
          'forbidden',
          `only an administrator may allow cleartext queries here; you have the role ${answerer.role}`,
          'ask an administrator, or stay private',
          id,
        );
      return answer(id, 'allowed', answerer, ['open'], now() + minutes * 60_000);
    },
    deny: (id, answerer) => answer(id, 'denied', answerer, ['open']),
    retry: (id, answerer) => answer(id, 'retried', answerer, canRetry),

    expire(group) {
      const request = current.get(group);
      if (request?.state === 'open') change(request, { state: 'unanswered' });
    },
    drop(group) {
      for (const one of group === undefined ? [...current.keys()] : [group]) drop(one);
    },
    spend(group) {
      if (current.get(group)?.state === 'allowed') current.delete(group);
    },
    tried(id) {
      for (const [group, request] of current)
        if (request.id === id && request.state === 'retried') current.delete(group);
    },
    list() {
      followClock();
      return kept.map((request) => ({ ...request }));
    },
  };
}

function movedBy(moved: number, request: ConsentRequest): Partial<ConsentRequest> {
  const known = times.filter((time) => request[time] !== null);
  return Object.fromEntries(known.map((time) => [time, (request[time] ?? 0) + moved]));
}

const canRetry: readonly ConsentRequestState[] = ['open', 'denied', 'unanswered'];

function sayState({ state, who }: ConsentRequest): string {
  const words: Record<ConsentRequestState, string> = {
    open: 'it counts no more',
    allowed: `${who ?? 'somebody'} allowed it`,
    denied: `${who ?? 'somebody'} chose to stay private`,
    retried: `${who ?? 'somebody'} chose to try again`,
    unanswered: 'its deadline passed',
    withdrawn: 'it is of no interest any more',
  };
  return words[state];
}

/** Four letters that can't be confused with each other, or with digits. */
export function consentRequestId(random: () => number = Math.random): string {
  const letters = 'abcdefghkmnpqrstuvwxyz';
  return Array.from({ length: 4 }, () => letters[Math.floor(random() * letters.length)]).join('');
}

/** The methods `log.*`, in terms of the query log. */

import type { Socket } from 'node:net';
import { matchesGlob } from '../../contract/dns/name-pattern.ts';
import { formatSocketAddress, parseSocketAddress } from '../../contract/dns/socket-address.ts';
import type { Outcome } from '../../contract/engine-words.ts';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type {
  LogMethod,
  LogParams,
  LogProgress,
  LogResult,
  TopKind,
} from '../../contract/query-log/log-api.ts';
import {
  type FilterField,
  type FilterTerm,
  filterFailure,
  type LogFilter,
} from '../../contract/query-log/log-filter.ts';
import { matchesFilter } from '../../contract/query-log/log-filter-match.ts';
import { readLogFilter } from '../../contract/query-log/log-filter-reading.ts';
import { readValue } from '../../contract/query-log/log-filter-values.ts';
import { asciiLower } from '../../contract/query-log/log-filter-words.ts';
import type { ServiceHandlers, ServiceSession } from '../../contract/service-api.ts';
import { defaultPort, type UpstreamSetting } from '../../contract/settings/upstream-settings.ts';
import { LiveFeed } from './live-feed.ts';
import type { JobProgress } from './log-messages.ts';
import { logUnavailable } from './log-unavailable.ts';
import { type QueryLog, QueryLogError, type Reading } from './query-log.ts';
import { expressionProblem, nameExpression } from './search/name-expression.ts';
import { lettersOf } from './search/name-letters.ts';

export type LogHandlers = Pick<ServiceHandlers, `log.${LogMethod}`>;

export interface LogParts {
  queryLog: QueryLog;
  now(): number;
  /** null: the number is of no account of this machine */
  accountName(uid: number): string | null;
  /** The programs that a desktop calls so: in lower case, or a pattern. */
  programsNamed(application: string): readonly string[];
  /** In the settings in force. */
  upstreams(): readonly Pick<UpstreamSetting, 'id' | 'transport' | 'address'>[];
  onErased(session: ServiceSession): void;
}

export function createLogHandlers(parts: LogParts): LogHandlers {
  const { queryLog, now, onErased } = parts;
  const readings = new SessionReadings();
  const readFilter = (text: string) => readFilterHere(text, parts);
  const follow = followers(parts);

  return {
    'log.query': async (params) => {
      const filter = plainFilter(params);
      if (!filter.ok) return filter;
      const { limit, beforeId: before } = params;
      const found = await answerOf(
        queryLog.read('search', { filter: filter.value, limit, before }),
      );
      return found.ok ? succeed({ events: found.value.events }) : found;
    },
    'log.search': async ({ filter: text, before, limit, progress }, session) => {
      const filter = readFilter(text);
      if (!filter.ok) return filter;
      const tell = teller(session, progress);
      const reading = queryLog.read('search', { filter: filter.value, before, limit }, tell);
      return await readings.only('search', session, reading);
    },
    'log.count': async ({ filter: text, progress }, session) => {
      const filter = readFilter(text);
      if (!filter.ok) return filter;
      const reading = queryLog.read('count', { filter: filter.value }, teller(session, progress));
      return await readings.only('count', session, reading);
    },
    'log.histogram': async ({ filter: text, from, to = now(), buckets, progress }, session) => {
      const filter = readFilter(text);
      if (!filter.ok) return filter;
      if (to <= (from ?? 0) || to > latestTime)
        return fail('params-invalid', '"to" is not after "from"', 'give a later time', 'to');
      const request = { filter: filter.value, from, to, buckets };
      const reading = queryLog.read('histogram', request, teller(session, progress));
      return await readings.only('histogram', session, reading);
    },
    'log.facets': async ({ filter: text, progress }, session) => {
      const filter = readFilter(text);
      if (!filter.ok) return filter;
      const reading = queryLog.read('facets', { filter: filter.value }, teller(session, progress));
      return await readings.only('facets', session, reading);
    },
    'log.top': async ({ by, filter: text, limit, progress }, session) => {
      const filter = readFilter(text);
      if (!filter.ok) return filter;
      const request = { by, filter: filter.value, limit };
      const reading = queryLog.read('top', request, teller(session, progress));
      return await readings.only(`top ${by}`, session, reading);
    },
    'log.cancel': (_params, session) => {
      readings.cancel(session);
      return succeed({});
    },
    'log.event': async ({ id }) => {
      const found = await answerOf(queryLog.read('event', { id }));
      if (!found.ok) return found;
      if (found.value === null)
        return fail(
          'unknown-event',
          `query ${id} is not in the query log`,
          'search anew: it may have been erased',
          'id',
        );
      return succeed({ event: found.value });
    },
    'log.pour': async ({ filter: text, format }, session) => {
      const filter = readFilter(text);
      if (!filter.ok) return filter;
      const pour = await queryLog.pour({ filter: filter.value, format });
      if (pour === null) {
        const tooMany = new Error('too many searches of it at once');
        return { ok: false, failure: logUnavailable('The query log could not be read', tooMany) };
      }
      session.handOver((connection) => pour(connection as Socket));
      return succeed({});
    },
    'log.suggest': async () => await answerOf(queryLog.read('suggest', {})),
    'log.follow': follow.begin,
    'log.unfollow': follow.end,
    'log.clear': async (_params, session) => {
      const cleared = await outcomeOf(queryLog.clear().then(() => ({})));
      if (cleared.ok) onErased(session);
      return cleared;
    },
  };
}

/** Where the calendar of JavaScript ends. */
const latestTime = 8.64e15;

function readFilterHere(text: string, parts: LogParts): Result<LogFilter> {
  const read = readLogFilter(text);
  const problem = read.ok ? expressionProblem(read.terms) : read.problem;
  if (problem !== null) return { ok: false, failure: filterFailure(problem) };
  return succeed(read.ok ? read.terms.map((term) => withOtherNames(term, parts)) : []);
}

function withOtherNames(term: FilterTerm, parts: LogParts): FilterTerm {
  const values = term.values.flatMap((value) => [
    value,
    ...otherNames(term.field, value.text, parts).map((name) => ({
      text: asciiLower(name),
      regex: false,
    })),
  ]);
  return { ...term, values };
}

/**
 * An account stands in the log by its name, if it had one then, and otherwise by its number. A program is shown by what the desktop
 * calls it, an upstream by its id.
 */
function otherNames(field: FilterField, text: string, parts: LogParts): readonly string[] {
  if (field === 'program' && text !== '') return parts.programsNamed(text);
  if (field === 'upstream') return upstreamsAt(text, parts.upstreams());
  const name = field === 'user' && /^\d+$/.test(text) ? parts.accountName(Number(text)) : null;
  return name === null ? [] : [name];
}

/** The ids of those that have an address which fits. */
function upstreamsAt(text: string, upstreams: ReturnType<LogParts['upstreams']>): string[] {
  const fits = (address: string, port: number) => {
    const read = parseSocketAddress(address);
    return read !== null && matchesGlob(text, formatSocketAddress(read.ip, read.port ?? port));
  };
  return upstreams
    .filter(({ transport, address }) =>
      [address].flat().some((one) => fits(one, defaultPort(transport))),
    )
    .map(({ id }) => id);
}

/** The older form of a filter, with one option for each field. */
function plainFilter({
  name,
  outcome,
  since,
}: {
  name?: string | undefined;
  outcome?: Outcome | undefined;
  since?: number | undefined;
}): Result<LogFilter> {
  const terms: FilterTerm[] = [];
  const add = (field: FilterTerm['field'], text: string) =>
    terms.push({ field, negated: false, values: [{ text, regex: false }] });
  if (name !== undefined) {
    const value = readValue('name', name);
    if (!value.ok)
      return fail('params-invalid', value.problem.message, value.problem.remedy, 'name');
    add('name', value.text);
  }
  if (outcome !== undefined) add('outcome', outcome);
  if (since !== undefined) add('since', new Date(Math.min(since, latestTime)).toISOString());
  return succeed(terms);
}

type ReadingKind = 'search' | 'count' | 'histogram' | 'facets' | `top ${TopKind}`;

/** A connection has one reading of each kind at a time: a new one cancels the one before. */
class SessionReadings {
  readonly #running = new WeakMap<ServiceSession, Map<ReadingKind, Reading<unknown>>>();

  async only<Answer>(
    kind: ReadingKind,
    session: ServiceSession,
    reading: Reading<Answer>,
  ): Promise<Result<Answer>> {
    const running = this.#of(session);
    running.get(kind)?.cancel();
    running.set(kind, reading);
    const answer = await answerOf(reading);
    if (running.get(kind) === reading) running.delete(kind);
    return answer;
  }

  cancel(session: ServiceSession): void {
    for (const reading of this.#of(session).values()) reading.cancel();
  }

  #of(session: ServiceSession): Map<ReadingKind, Reading<unknown>> {
    const known = this.#running.get(session);
    if (known !== undefined) return known;
    const running = new Map<ReadingKind, Reading<unknown>>();
    this.#running.set(session, running);
    session.onClose(() => this.cancel(session));
    return running;
  }
}

function teller(
  session: ServiceSession,
  progress: number | undefined,
): (step: JobProgress) => void {
  if (progress === undefined) return () => {};
  return (step) => session.notify('log.progress', { progress, ...step } satisfies LogProgress);
}

function followers(parts: LogParts) {
  const { queryLog, now } = parts;
  const subscriptions = new Map<number, { session: ServiceSession; end(): void }>();
  let lastSubscription = 0;

  function begin(
    { filter: text = '', name, outcome }: LogParams<'follow'>,
    session: ServiceSession,
  ): Result<LogResult<'follow'>> {
    const filter = readFilterHere(text, parts);
    if (!filter.ok) return filter;
    const more = plainFilter({ name, outcome });
    if (!more.ok) return more;
    const subscription = ++lastSubscription;
    const feed = new LiveFeed({
      wanted: matchesFilter([...filter.value, ...more.value], {
        now: now(),
        expression: nameExpression,
        letters: lettersOf,
      }),
      send: (events, leftOut) => session.notify('log.events', { subscription, events, leftOut }),
      later(milliseconds, work) {
        const timer = setTimeout(work, milliseconds);
        return () => clearTimeout(timer);
      },
    });
    const begun = session.subscribe(
      'log',
      () => {
        const stop = queryLog.follow((events, leftOut) => feed.offer(events, leftOut));
        return () => {
          subscriptions.delete(subscription);
          stop();
          feed.close();
        };
      },
      subscription,
    );
    if (!begun.ok) return begun;
    subscriptions.set(subscription, { session, end: begun.value.end });
    return succeed({ subscription });
  }

  function end(
    { subscription }: LogParams<'unfollow'>,
    session: ServiceSession,
  ): Result<LogResult<'unfollow'>> {
    const followed = subscriptions.get(subscription);
    if (followed?.session !== session)
      return fail(
        'unknown-subscription',
        `there is no subscription ${subscription}`,
        'use the number "log.follow" gave',
        'subscription',
      );
    followed.end();
    return succeed({});
  }

  return { begin, end };
}

function answerOf<Answer>({ answer }: Reading<Answer>): Promise<Result<Answer>> {
  return outcomeOf(answer);
}

export async function outcomeOf<Value>(work: Promise<Value>): Promise<Result<Value>> {
  try {
    return succeed(await work);
  } catch (error) {
    if (error instanceof QueryLogError) return { ok: false, failure: error.failure };
    throw error;
  }
}

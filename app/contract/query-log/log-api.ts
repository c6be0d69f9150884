/**
 * The methods `log.*`: the query log as a searchable store. A filter is text in the language of `log-filter.ts`; one that can't
 * be read fails with `filter-invalid`, and its `subject` is the wrong word. A connection has one search, one count, one
 * histogram, one ranking of each kind and one count by facet at a time: the next one cancels the one before, which then fails with
 * `superseded`; `log.cancel` cancels all. Work that takes longer than a tenth of a second reports by `log.progress`, with the number that the caller gave as `progress`.
 */
import { z } from 'zod';
import { countsByClass } from './counts-by-class.ts';
import { longestFilter } from './log-filter-reading.ts';
import { mostStars } from './log-filter-words.ts';
import { type Facet, facets } from './query-class.ts';
import { outcome, queryEvent } from './query-event.ts';

const nothing = z.strictObject({});

/** `*` stands for any octets, `?` for one; without either it is a whole name. */
const nameGlob = z
  .string()
  .min(1)
  .max(1024)
  .refine((glob) => (glob.match(/\*+/g) ?? []).length <= mostStars, {
    error: `has too many stars: at most ${mostStars} are allowed`,
  });

const eventFilter = { name: nameGlob.optional(), outcome: outcome.optional() };

/** The language itself refuses long filters with a remedy; this bounds what is read at all. */
const filter = z.string().max(2 * longestFilter);
const eventId = z.int().nonnegative();
/** unix milliseconds */
const time = z.number().nonnegative();
const count = z.int().nonnegative();

/** Comes back in `log.progress`; choose another for every request. */
const progress = z.int().nonnegative();

const facetCounts = z.strictObject({
  counts: z.strictObject(
    Object.fromEntries(facets.map((facet) => [facet, count])) as Record<Facet, typeof count>,
  ),
  /** false: an estimate, from a sample of the rows */
  isExact: z.boolean(),
});

const suggestion = z.strictObject({ value: z.string(), rows: count });

/** By what `log.top` ranks. */
export const topKinds = ['domain', 'program', 'client'] as const;
export type TopKind = (typeof topKinds)[number];

/** The parameters and results of the methods `log.*`. */
export const logMethods = {
  /** Newest first. For the next page give the last id as `beforeId`. */
  query: {
    params: z.strictObject({
      ...eventFilter,
      since: time.optional(),
      beforeId: eventId.optional(),
      limit: z.int().min(1).max(1000),
    }),
    result: z.strictObject({ events: z.array(queryEvent) }),
  },

  /** A page of the rows that fit, newest first. */
  search: {
    params: z.strictObject({
      filter,
      /** only rows older than this one; for the next page, `next` of this one */
      before: eventId.optional(),
      limit: z.int().min(1).max(1000),
      progress: progress.optional(),
    }),
    result: z.strictObject({
      events: z.array(queryEvent),
      /** give it as `before` for the next page; null where nothing older fits */
      next: eventId.nullable(),
    }),
  },

  /** How many of the rows that were there at the request fit: counted, however long that takes. */
  count: {
    params: z.strictObject({ filter, progress: progress.optional() }),
    result: z.strictObject({
      rows: count,
      /** rows in the whole query log */
      of: count,
    }),
  },

  /** How many rows fit, in equal intervals of time and by class; always exact. */
  histogram: {
    params: z.strictObject({
      filter,
      /** left out: an hour before `to`, or the oldest row where that is earlier */
      from: time.optional(),
      /** exclusive; left out: now */
      to: time.optional(),
      buckets: z.int().min(1).max(1000),
      progress: progress.optional(),
    }),
    result: z.strictObject({
      from: time,
      to: time,
      /** milliseconds of each interval; the last one may be shorter */
      width: z.number().positive(),
      counts: countsByClass,
    }),
  },

  /** How many rows fit, of each facet. The reply is exact; estimates come before it by `log.progress`. */
  facets: {
    params: z.strictObject({ filter, progress: progress.optional() }),
    result: facetCounts,
  },

  /**
   * What occurs most among the rows that fit: registrable domains, programs as the filter `program:` finds them, or addresses of
   * clients.
   */
  top: {
    params: z.strictObject({
      by: z.enum(topKinds),
      filter,
      limit: z.int().min(1).max(100),
      progress: progress.optional(),
    }),
    result: z.strictObject({
      /** the most frequent first */
      rows: z.array(
        z.strictObject({
          value: z.string(),
          count,
          /** of a program: its name in the icon theme, or its path */
          icon: z.string().nullable(),
        }),
      ),
      /** all that fit, those without such a value, too */
      queries: count,
      /** false: counts are at least as large, because rare values of a long time are not kept one by one. With a filter of more than a time it is true */
      isExact: z.boolean(),
    }),
  },

  /** Ends all of these that this connection has begun; each fails with `superseded`. */
  cancel: { params: nothing, result: nothing },

  /** One row in full. Fails with `unknown-event` when it is not, or no longer, in the query log. */
  event: {
    params: z.strictObject({ id: eventId }),
    result: z.strictObject({ event: queryEvent }),
  },

  /**
   * The rows that fit, as one text, newest first; CSV has a header. Queries that come meanwhile are not in it. The connection
   * carries only the text from the reply on, and no message follows: the client stops reading messages, sends `goOctet`, and reads
   * parts (poured-text.ts). It reads them as fast as it likes, and ends it early by closing the connection.
   */
  pour: {
    params: z.strictObject({ filter, format: z.enum(['csv', 'ndjson']) }),
    result: nothing,
  },

  /** Which upstreams, types, rules, clients and programs occur, the most frequent first: for completing a filter. */
  suggest: {
    params: nothing,
    result: z.strictObject({
      upstream: z.array(suggestion),
      type: z.array(suggestion),
      rule: z.array(suggestion),
      client: z.array(suggestion),
      program: z.array(suggestion),
      unit: z.array(suggestion),
      container: z.array(suggestion),
      executable: z.array(suggestion),
      user: z.array(suggestion),
      rcode: z.array(suggestion),
    }),
  },

  /** From here on `log.events` brings matching queries as they are answered. */
  follow: {
    params: z.strictObject({ ...eventFilter, filter: filter.optional() }),
    result: z.strictObject({ subscription: z.int() }),
  },
  unfollow: { params: z.strictObject({ subscription: z.int() }), result: nothing },

  /** Erases the whole query log: rows, names, and every index of them. */
  clear: { params: nothing, result: nothing },
};

export const logNotifications = {
  /** At most ten a second for a subscription. */
  events: z.strictObject({
    subscription: z.int(),
    events: z.array(queryEvent),
    /** events that fitted but came too fast to be shown; they are in the query log */
    leftOut: count,
  }),

  /** About a search, a count, a histogram, a ranking or facets that take long; ten a second at most. */
  progress: z.strictObject({
    progress,
    /** rows that were read, or are known not to fit, of so many */
    scanned: count,
    of: count,
    /** rows that fitted so far */
    found: count,
    /** search: those found since the last report, newest first; the reply has all of them again */
    events: z.array(queryEvent).optional(),
    /** histogram: the counts so far */
    counts: countsByClass.optional(),
    /** facets: an estimate from a sample */
    facets: facetCounts.optional(),
  }),
};

export type FacetCounts = z.infer<typeof facetCounts>;
export type LogMethod = keyof typeof logMethods;
export type LogParams<Method extends LogMethod> = z.output<(typeof logMethods)[Method]['params']>;
export type LogResult<Method extends LogMethod> = z.output<(typeof logMethods)[Method]['result']>;
export type LogProgress = z.output<(typeof logNotifications)['progress']>;

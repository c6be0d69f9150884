/** What became of queries over time, and how long each upstream took. No names; kept for a week, whatever the query log keeps. */
import { z } from 'zod';
import { countsByClass } from '../query-log/counts-by-class.ts';

const count = z.int().nonnegative();
const unixMilliseconds = z.number().nonnegative();
/** milliseconds; null: there was no query */
const latency = z.number().nonnegative().nullable();

export const mostPoints = 720;
/** The time within which this share of an upstream's responses came is off by at most this part of itself. */
export const latencyError = 0.07;

export const seriesMethods = {
  /** Fails where nothing can be read now: the writer of the query log is being replaced. */
  series: {
    params: z.strictObject({
      since: unixMilliseconds,
      until: unixMilliseconds,
      points: z.int().min(2).max(mostPoints),
    }),
    result: z.strictObject({
      /** where the first interval begins; not later than was asked for */
      since: unixMilliseconds,
      /** of each interval, in milliseconds; a whole number of minutes */
      step: z.number().positive(),
      /** the first minute of which anything is kept; null: of none */
      keptSince: unixMilliseconds.nullable(),
      outcomes: countsByClass,
      upstreams: z.array(
        z.strictObject({
          id: z.string(),
          /** responses that came from it for queries of programs */
          queries: z.array(count),
          /** connections to it, and queries on them, that failed; those of a minute may be counted in the next one */
          failed: z.array(count),
          p50: z.array(latency),
          p95: z.array(latency),
        }),
      ),
    }),
  },
};

export type Series = z.infer<typeof seriesMethods.series.result>;
export type SeriesRequest = z.infer<typeof seriesMethods.series.params>;

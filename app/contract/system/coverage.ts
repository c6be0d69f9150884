/**
 * The coverage map: what goes around Sotto, who, where to, how often, since when, and how to fix it (docs/design/coverage.md).
 */
import { z } from 'zod';
import { said } from '../sentences/said.ts';

const nothing = z.strictObject({});
const unixMilliseconds = z.number();
const count = z.int().nonnegative();

export const coverageRow = z.strictObject({
  /**
   * `counted`: packets, by the kernel; `connection`: it lived when we looked; `configured`: as files of programs say; `probed`: a query
   * of ours did not arrive here
   */
  source: z.enum(['counted', 'connection', 'configured', 'probed']),
  /** `computer`: another one, for which this one forwards */
  kind: z.enum(['program', 'browser', 'engine', 'container', 'link', 'computer', 'other']),
  /** who; empty where the caller may not know it */
  name: z.string(),
  /** the account; null: none, unknown, or not for the caller */
  user: z.string().nullable(),
  /** "ip:port" each, the newest first; not all where there are many */
  to: z.array(z.string()),
  /** datagrams and new connections that left; of connections, those that live; null: it can't be counted */
  count: count.nullable(),
  /** how many more were rejected, by the gate or by another program's rules; null: it can't be counted */
  rejected: count.nullable(),
  since: unixMilliseconds.nullable(),
  newest: unixMilliseconds.nullable(),
  /** false: seen too seldom to count in the verdict */
  weighs: z.boolean(),
  /** in English */
  text: z.string(),
  remedy: z.string(),
  /** the codes of both, for clients in another language */
  says: z.strictObject({ text: z.array(said), remedy: z.array(said) }),
  /** what `coverage.fix` calls the fix; null: there is none */
  fix: z.string().nullable(),
});

export const coverageMap = z.strictObject({
  at: unixMilliseconds,
  /** since when packets are counted; null: they are not */
  countsSince: unixMilliseconds.nullable(),
  /** why packets are not counted; null: they are */
  uncounted: z.string().nullable(),
  rows: z.array(coverageRow),
  /** what this map can't see */
  limits: z.array(said),
});

export const coverageMethods = { map: { params: nothing, result: coverageMap } };

export type CoverageRow = z.infer<typeof coverageRow>;
export type CoverageMap = z.infer<typeof coverageMap>;

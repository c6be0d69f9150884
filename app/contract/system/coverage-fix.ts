/** Changes to the settings of other programs, after which their queries come to Sotto (docs/decisions/0048-fixes.md). */
import { z } from 'zod';
import { said } from '../sentences/said.ts';
import { coverageFixes } from './coverage-fixes.ts';

const nothing = z.strictObject({});
const unixMilliseconds = z.number();

export const coverageFix = z.enum(coverageFixes);

export const fileOutcomes = ['restored', 'key-taken-out', 'changed-since', 'gone'] as const;

/** One file that a fix writes; `before`: null where there was none. */
export const fileChange = z.strictObject({
  file: z.string(),
  before: z.string().nullable(),
  after: z.string(),
  /** not every user may read the file: `after` has what Sotto sets in it, and `before` is not told */
  hidden: z.boolean().optional(),
});

/**
 * `restored`: as it was before; `key-taken-out`: another program wrote the file since, and only what Sotto had set is gone;
 * `changed-since`: another program changed what Sotto had set, so the file is left alone; `gone`: it no longer exists.
 */
export const undoneFile = z.strictObject({ file: z.string(), outcome: z.enum(fileOutcomes) });

export const fixNow = z.strictObject({
  fix: coverageFix,
  /** its program is on this machine */
  present: z.boolean(),
  /** unix milliseconds; null: it is not fixed by Sotto */
  since: unixMilliseconds.nullable(),
  /** whether every file still says it; null: it is not fixed by Sotto */
  inPlace: z.boolean().nullable(),
  /** what it writes */
  files: z.array(z.string()),
  /** why it can't be fixed, and what to do; null: it can */
  refused: z.strictObject({ message: z.string(), remedy: z.string() }).nullable(),
});

export const coverageFixMethods = {
  fixes: { params: nothing, result: z.strictObject({ fixes: z.array(fixNow) }) },
  fix: {
    params: z.strictObject({ fix: coverageFix, dryRun: z.boolean().optional() }),
    result: z.strictObject({
      fix: coverageFix,
      /** what was written, or would be; empty where every file said it already */
      files: z.array(fileChange),
      /** what the program reads now leads to Sotto; null: nothing was written, because it was a dry run */
      proved: z.boolean().nullable(),
      says: said,
    }),
  },
  undo: {
    params: z.strictObject({ fix: coverageFix }),
    result: z.strictObject({
      fix: coverageFix,
      /** empty where there was nothing to undo */
      files: z.array(undoneFile),
      says: said,
    }),
  },
};

export type FixNow = z.infer<typeof fixNow>;
export type FileOutcome = (typeof fileOutcomes)[number];
export type FixResult = z.infer<(typeof coverageFixMethods)['fix']['result']>;
export type UndoResult = z.infer<(typeof coverageFixMethods)['undo']['result']>;

/** What upstreams say of the names of the setting "crossCheck.names", compared. */
import { z } from 'zod';
import { failure } from '../failure.ts';
import { comparison } from './comparison.ts';
import { begun } from './progress.ts';

/** One name and type. */
export const crossChecked = z.strictObject({
  name: z.string(),
  type: z.string(),
  /** null: it was not asked for */
  comparison: comparison.nullable(),
  /** why it was not asked for: policy keeps the name from the upstreams */
  skipped: failure.nullable(),
});

/** Asks for all names now, as happens about once an hour. */
export const crossCheck = { params: z.strictObject({}), result: begun };

export type CrossChecked = z.infer<typeof crossChecked>;

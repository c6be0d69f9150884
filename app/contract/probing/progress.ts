/**
 * Work whose results come one by one. The call that begins it replies with its number at once; then notifications bring the
 * results, the last one with `done`. `work.cancel` ends it early, and so does the end of the connection.
 */
import { z } from 'zod';
import { failure } from '../failure.ts';

export const begun = z.strictObject({ work: z.int() });

export function progress<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    work: z.int(),
    items: z.array(item),
    done: z.boolean(),
    /** why it ended without all results; null: it did not */
    failure: failure.nullable(),
  });
}

export const workMethods = {
  cancel: { params: begun, result: z.strictObject({}) },
};

/** The results since the last notification. */
export interface Progress<Item> {
  items: Item[];
  done: boolean;
}

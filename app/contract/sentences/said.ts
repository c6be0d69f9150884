/** The shape of a sentence that the service says: its code, and its parameters. */
import { z } from 'zod';

/** A code may come from a newer service; the English is always sent with it. */
export const said = z.strictObject({
  code: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
});

/** The shape of an expected failure, as errors.ts describes it. */
import { z } from 'zod';
import { type Failure, failureCodes } from './errors.ts';

export const failure = z.strictObject({
  code: z.enum(failureCodes),
  message: z.string(),
  remedy: z.string(),
  subject: z.string().nullable(),
}) satisfies z.ZodType<Failure>;

/** The shape of `CountsByClass` (query-class.ts). */
import { z } from 'zod';
import { type QueryClass, queryClasses } from './query-class.ts';

export const countsByClass = z.strictObject(
  Object.fromEntries(queryClasses.map((name) => [name, z.array(z.int().nonnegative())])) as Record<
    QueryClass,
    z.ZodArray<z.ZodInt>
  >,
);

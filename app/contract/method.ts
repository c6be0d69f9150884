/** A method of the contract: who may call it, what it is given, and what it gives back. */
import type { z } from 'zod';

/** Each role may do what those before it may. */
export const roles = ['observe', 'control', 'administer'] as const;
export type Role = (typeof roles)[number];

export function method<Params extends z.ZodType, Outcome extends z.ZodType>(
  role: Role,
  shape: { params: Params; result: Outcome },
) {
  return { role, ...shape };
}

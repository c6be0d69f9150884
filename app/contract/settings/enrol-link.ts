/**
 * A link that fills in an enrolment: sotto://enrol?source=https%3A%2F%2Fit.example.com%2Fcorp.json&ring=canary&allow=log,bypass
 * Anybody can make one, so it enrols nothing, and a fingerprint in it is not read: a person gets that in another way. Pure.
 */
import { z } from 'zod';
import { ring } from './profile.ts';
import { type Grant, grants, profileSource, sourceAddress } from './profile-methods.ts';

const link = z.object({
  source: profileSource,
  /** of the source's host */
  address: sourceAddress.optional(),
  ring: ring.optional(),
  allow: z
    .string()
    .transform((words) => words.split(','))
    .pipe(z.array(z.enum(grants)).max(grants.length))
    .optional(),
});

export interface EnrolLink {
  source: string;
  address?: string | undefined;
  ring?: string | undefined;
  allow?: Grant[] | undefined;
}

const longest = 4096;
export const enrolLinkStart = 'sotto://enrol?';

/** Null: it is no such link, or one part of it is wrong; then none of it is used. */
export function readEnrolLink(text: string): EnrolLink | null {
  if (text.length > longest || !text.startsWith(enrolLinkStart)) return null;
  const asked = new URLSearchParams(text.slice(enrolLinkStart.length));
  const names = [...asked.keys()];
  // Which of two would be meant, a person could not see.
  if (new Set(names).size < names.length) return null;
  const read = link.safeParse(Object.fromEntries(asked));
  return read.success ? read.data : null;
}

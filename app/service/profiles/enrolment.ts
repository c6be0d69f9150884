/**
 * The profile that this machine is enrolled in, kept in the state folder: the pinned key, what its issuer may loosen, the last
 * signed version and what of it holds. The serial outlives every version, so that none comes back.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { grants } from '../../contract/settings/profile-methods.ts';
import { writeDurably } from '../base/durable-file.ts';
import { type PolicyFile, policyText, readPolicy } from '../settings/policy-file.ts';
import { type WaitingEntry, withStrictest } from './decide-entries.ts';

const settingKey = z.string();

const enrolmentFile = z.strictObject({
  /** as minisign writes it */
  key: z.string(),
  grants: z.array(z.enum(grants)),
  enrolledAt: z.number(),
  /** the key that the version in force announces for the next ones */
  nextKey: z.string().nullable().default(null),
  /** where later versions come from; null: somebody brings them */
  source: z.string().nullable().default(null),
  /** IP address of the source's host, so that no name has to be looked up */
  address: z.string().nullable().default(null),
  ring: z.string().nullable().default(null),
  /** of this machine among all that take the profile: 0 ≤ place < 100 */
  place: z.number().default(0),
  id: z.string(),
  serial: z.int(),
  acceptedAt: z.number(),
  /** octets of the signed file in base64, and its signature */
  profile: z.string(),
  signature: z.string(),
  /** what waits in this version was approved */
  approved: z.boolean(),
  /** the entries that hold, as the text of a policy */
  holds: z.string(),
  waiting: z.array(z.strictObject({ key: settingKey, grant: z.enum(grants).nullable() })),
  kept: z.array(settingKey),
});

export type Enrolment = Omit<z.infer<typeof enrolmentFile>, 'waiting' | 'kept'> & {
  waiting: WaitingEntry[];
  kept: string[];
};

export interface EnrolmentStore {
  current(): Enrolment | null;
  /** What it says, as a layer below the policies; null: the machine left; undefined: no file says anything of a profile. */
  layer(): PolicyFile | null | undefined;
  /** Throws where the disk refuses; null: the machine leaves. */
  keep(enrolment: Enrolment | null): void;
}

export function openEnrolment(file: string): EnrolmentStore {
  let current = read(file);
  return {
    current: () => current ?? null,
    layer: () => (current == null ? current : (layerOf(file, current) ?? undefined)),
    keep(enrolment) {
      writeDurably(file, `${JSON.stringify(enrolment)}\n`);
      current = enrolment;
    },
  };
}

/** `file`: where the enrolment is kept, by which errors name it. */
export function layerOf(file: string, { holds }: Pick<Enrolment, 'holds'>): PolicyFile | null {
  const { policy, unreadLocks } = readPolicy(file, holds);
  if (policy === null) return null;
  // Another Sotto may have written it, which knew more settings.
  return {
    ...policy,
    layer: 'profile',
    entries: withStrictest(policy.entries, { unread: [], unreadLocks }),
  };
}

/** That may sign a version. */
export function keysOf({ key, nextKey }: Pick<Enrolment, 'key' | 'nextKey'>): string[] {
  return nextKey === null ? [key] : [key, nextKey];
}

export function entriesOf({ holds }: Pick<Enrolment, 'holds'>): PolicyFile['entries'] {
  return readPolicy('', holds).policy?.entries ?? [];
}

/** `issuer`: who locks, as people are told. */
export function holdsText(issuer: string, entries: PolicyFile['entries']): string {
  return policyText({ layer: 'profile', file: '', name: issuer, entries });
}

/** Undefined: there is no file, or none that can be read. */
function read(file: string): Enrolment | null | undefined {
  try {
    const found = enrolmentFile.nullable().safeParse(JSON.parse(readFileSync(file, 'utf8')));
    return found.success ? (found.data as Enrolment | null) : undefined;
  } catch {
    return undefined;
  }
}

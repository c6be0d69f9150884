/**
 * The profile that this machine is enrolled in, kept in the state folder: the pinned key, what its issuer may loosen, the last
 * signed version and what of it holds. The serial outlives every version, so that none comes back.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { networkMatch } from '../../contract/settings/network-match.ts';
import { grants } from '../../contract/settings/profile-methods.ts';
import type { SettingKey } from '../../contract/settings/settings.ts';
import { writePath } from '../../contract/settings/validation-issues.ts';
import { writeDurably } from '../base/durable-file.ts';
import type { Here } from '../network/current-network.ts';
import {
  type PolicyEntry,
  type PolicyFile,
  type PolicyRead,
  policyText,
  readPolicy,
} from '../settings/policy-file.ts';
import { type WaitingEntry, withStrictest } from './decide-entries.ts';
import type { HeldNetwork } from './networks/decide-networks.ts';
import { holdingHere } from './networks/holding-here.ts';
import { rolledBack } from './trial/rolled-back.ts';

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
  waiting: z.array(
    z.strictObject({
      key: settingKey,
      grant: z.enum(grants).nullable(),
      network: z.string().optional(),
      behind: z.string().optional(),
    }),
  ),
  kept: z.array(settingKey),
  /** what holds otherwise on some networks, each as the text of a policy */
  networks: z
    .array(
      z.strictObject({ match: networkMatch, holds: z.string(), loosening: z.array(settingKey) }),
    )
    .default([]),
  /** null: nothing of a version before could come back */
  trial: z
    .strictObject({
      /** the last one whose upstreams worked somewhere, or had nothing new */
      former: z.strictObject({ serial: z.int(), holds: z.string() }),
      /** networks on which upstreams of this version authenticated */
      worked: z.array(z.string()),
      /** networks on which they did not, and those of the former did */
      resting: z.array(z.string()),
    })
    .nullable()
    .default(null),
});

export type Enrolment = Omit<z.infer<typeof enrolmentFile>, 'waiting' | 'kept'> & {
  waiting: WaitingEntry[];
  kept: string[];
};

export interface EnrolmentStore {
  current(): Enrolment | null;
  /** the network where the machine is */
  here(): Here;
  /** What it says, as a layer below the policies; null: the machine left; undefined: no file says anything of a profile. */
  layer(): PolicyFile | null | undefined;
  /** Throws where the disk refuses; null: the machine leaves. */
  keep(enrolment: Enrolment | null): void;
}

export function openEnrolment(file: string, here: () => Here): EnrolmentStore {
  let current = read(file);
  return {
    current: () => current ?? null,
    here,
    layer: () => (current == null ? current : (layerOf(file, current, here()) ?? undefined)),
    keep(enrolment) {
      writeDurably(file, `${JSON.stringify(enrolment)}\n`);
      current = enrolment;
    },
  };
}

/** What holds on this network. `file`: where the enrolment is kept, by which errors name it. */
export function layerOf(file: string, enrolment: Holding, here: Here): PolicyFile | null {
  const { policy: held, unreadLocks } = readHolds(enrolment.holds);
  if (held === null) return null;
  const policy = { ...held, file, entries: held.entries.map((entry) => inFile(file, entry)) };
  const former = formerAt(enrolment, here.id);
  const entries =
    (former === null ? null : rolledBack(policy.entries, entriesOf(former))) ?? policy.entries;
  // Another Sotto may have written it, which knew more settings.
  return {
    ...policy,
    layer: 'profile',
    entries: holdingHere(
      withStrictest(entries, { unread: [], unreadLocks }),
      networksOf(enrolment),
      here,
    ),
  };
}

type Holding = Pick<Enrolment, 'holds' | 'networks' | 'trial'>;

export function networksOf({ networks }: Pick<Enrolment, 'networks'>): HeldNetwork[] {
  return networks.map(({ match, holds, loosening }) => {
    const { policy, unreadLocks } = readHolds(holds);
    const entries = withStrictest(policy?.entries ?? [], { unread: [], unreadLocks });
    return { match, entries, loosening: loosening as SettingKey[] };
  });
}

/** The version that stands in on a network where this one rests; null where it does not. */
export function formerAt({ trial }: Pick<Enrolment, 'trial'>, network: string): Former | null {
  return trial?.resting.includes(network) ? trial.former : null;
}

export type Former = NonNullable<Enrolment['trial']>['former'];

/** That may sign a version. */
export function keysOf({ key, nextKey }: Pick<Enrolment, 'key' | 'nextKey'>): string[] {
  return nextKey === null ? [key] : [key, nextKey];
}

export function entriesOf({ holds }: Pick<Enrolment, 'holds'>): PolicyFile['entries'] {
  return readHolds(holds).policy?.entries ?? [];
}

/** `issuer`: who locks, as people are told. */
export function holdsText(issuer: string, entries: PolicyFile['entries']): string {
  const policy = { layer: 'policy' as const, file: '', name: issuer, entries: [...entries] };
  const text = policyText(policy);
  known.set(text, { policy: { ...policy, entries: entries.map(asWritten) }, ...noFaults });
  forgetOldest();
  return text;
}

/** As it reads back. */
function asWritten(entry: PolicyEntry): PolicyEntry {
  const path = ['settings', entry.key, 'value'];
  const problem: PolicyEntry['problem'] = (within, reason) => ({
    ...{ file: '', path: writePath([...path, ...within]), line: 1, reason },
  });
  return { ...entry, held: false, problem };
}

/** The same few texts are read for each network and each status, and a fleet's may have megabytes. */
function readHolds(text: string): PolicyRead {
  const read = known.get(text) ?? readPolicy('', text);
  known.set(text, read);
  forgetOldest();
  return read;
}

const known = new Map<string, PolicyRead>();
/** This version, the one before it, and what some networks say. */
const mostKnown = 16;
const noFaults = { problems: [], unreadLocks: [] };

function forgetOldest(): void {
  for (const text of known.keys()) {
    if (known.size <= mostKnown) return;
    known.delete(text);
  }
}

function inFile(file: string, entry: PolicyEntry): PolicyEntry {
  return { ...entry, problem: (within, reason) => ({ ...entry.problem(within, reason), file }) };
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

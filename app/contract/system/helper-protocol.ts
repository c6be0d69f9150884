/**
 * The requests of the service to sotto-helper, the one program of Sotto that runs as root, and the replies: one line of JSON
 * each, over a Unix stream socket (docs/design/system-dns.md). native/helper/src/request.rs reads the same words.
 */
import { z } from 'zod';
import { coverageFix, fileChange, fixNow, undoneFile } from './coverage-fix.ts';

export const helperSocket = '/run/sotto-helper/helper.sock';

/** Root writes here why the machine's service is told to end (build/system/sotto-stop); the reason is as old as the file. */
export const stopReasonFile = '/run/sotto-helper/stop-reason';

/**
 * `stop`: a person or the system wants it to end, and DNS is given back. `restart`, `shutdown`: it is back in a moment, or the
 * machine goes down, and DNS stays as it is.
 */
export const stopReasons = ['stop', 'restart', 'shutdown'] as const;

/** octets of a request, including the line end */
export const longestHelperRequest = 4096;

const link = z.strictObject({
  index: z.int().min(1).max(0x7fffffff),
  /** the kernel's name for the link with this index */
  name: z.string().min(1).max(15),
});

/** Loopback only. Every mechanism but take-link knows port 53 alone. */
const server = z.strictObject({
  address: z.union([z.ipv4(), z.ipv6()]),
  port: z.int().min(1).max(65535),
});

const servers = z.array(server).min(1).max(8);

const label = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,62}$/;
const mostSearched = 32;
const longestSearch = 1024;

/** Search domains for names without a dot; absent: those that were there before. */
const search = z
  .array(z.string().refine(isSearchable))
  .max(mostSearched)
  .refine((names) => names.join('').length <= longestSearch);

/** Whether a system accepts this search domain. */
export function isSearchable(name: string): boolean {
  return name.length <= 253 && name.split('.').every((each) => label.test(each));
}

/** The first of them, as many as fit into one request. */
export function searchable(names: readonly string[]): string[] {
  const said: string[] = [];
  for (const name of new Set(names.filter(isSearchable)))
    if (search.safeParse([...said, name]).success) said.push(name);
  return said;
}

export const helperMechanisms = [
  'resolved',
  'networkd',
  'network-manager',
  'resolvconf',
  'file',
] as const;

const mechanism = z.enum(helperMechanisms);

export const helperRequest = z.discriminatedUnion('verb', [
  z.strictObject({ verb: z.literal('take-link'), link, servers, search: search.optional() }),
  z.strictObject({
    verb: z.literal('take-network-manager'),
    servers,
    search: search.optional(),
  }),
  z.strictObject({ verb: z.literal('take-resolvconf'), servers }),
  z.strictObject({ verb: z.literal('take-file'), servers }),
  z.strictObject({
    verb: z.literal('give-back'),
    only: z.union([z.strictObject({ link }), z.strictObject({ mechanism })]).optional(),
  }),
  z.strictObject({ verb: z.literal('flush') }),
  z.strictObject({ verb: z.literal('status') }),
  /** the peer looks after what was taken until this connection ends */
  z.strictObject({ verb: z.literal('hold') }),
  /** dry: says what would be written, and writes nothing */
  z.strictObject({ verb: z.literal('fix'), fix: coverageFix, dry: z.boolean().optional() }),
  z.strictObject({ verb: z.literal('undo-fix'), fix: coverageFix }),
  z.strictObject({ verb: z.literal('fixes') }),
  /** what was given back while no service was there is in the ledger, up to this moment, unix milliseconds */
  z.strictObject({ verb: z.literal('forget-orphaned'), until: z.int().min(0) }),
]);

const address = z.strictObject({ address: z.string(), port: z.int().nullable() });

/** What the system had before, in the mechanism's terms; empty where it had nothing. */
const before = z.strictObject({
  servers: z.array(address),
  /** search domains */
  search: z.array(z.string()),
  /** routed here without being searched; "." is every name */
  routed: z.array(z.string()),
});

export const helperFailureCodes = [
  'bad-request',
  'not-loopback',
  'port-not-possible',
  'no-such-link',
  /** the bus is not there, or the service on it */
  'mechanism-missing',
  /** the mechanism refused; the message has its text */
  'refused-by-system',
  /** immutable, or mounted read-only */
  'read-only',
  /** resolv.conf is a folder, a device, or longer than 64 KiB */
  'not-a-file',
  /** the undo can't be written down, so nothing was changed */
  'journal-failed',
  /** a file of settings is none that root alone writes, or is not as it has to be */
  'file-refused',
  /** there is nothing to fix here, or it would undo what somebody else wants */
  'not-applicable',
] as const;

export const helperFailure = z.strictObject({
  code: z.enum(helperFailureCodes),
  message: z.string(),
  remedy: z.string(),
});

/** Where networkd carried out a take-link in place of resolved, the mechanism says so. */
const taken = z.strictObject({ mechanism, link: link.nullable() });

const given = z.strictObject({
  mechanism,
  link: link.nullable(),
  /** changed-since: another program has changed it, so it is left alone; gone: the link, or our setting, no longer exists */
  outcome: z.enum(['restored', 'changed-since', 'gone']),
});

const kept = z.strictObject({ mechanism, link: link.nullable(), failed: helperFailure });

const held = z.strictObject({
  mechanism,
  link: link.nullable(),
  servers: z.array(server),
  search: z.array(z.string()).optional(),
  /** unix milliseconds */
  since: z.int(),
  /** null where the mechanism could not be asked */
  inPlace: z.boolean().nullable(),
  /** a give-back was begun and has not ended */
  givingBack: z.boolean(),
  before,
});

/** Settings that lead to us from the start of the next boot until each link is told; in force: in this boot, too. */
const wished = z.strictObject({
  mechanism,
  servers: z.array(server),
  /** unix milliseconds */
  since: z.int(),
  inForce: z.boolean(),
});

/** What the helper gave back because neither service nor guardian was left. */
const orphaned = z.strictObject({
  /** unix milliseconds */
  since: z.int(),
  reason: z.string(),
});

export const helperReply = z.union([
  z.strictObject({
    ok: z.union([
      z.strictObject({ taken }),
      /** kept: what could not be given back yet stays in the journal */
      z.strictObject({ given: z.array(given), kept: z.array(kept) }),
      z.strictObject({ flushed: z.literal(true) }),
      z.strictObject({ holding: z.literal(true) }),
      z.strictObject({ forgotten: z.literal(true) }),
      z.strictObject({
        fixed: z.strictObject({ fix: coverageFix, files: z.array(fileChange) }),
      }),
      z.strictObject({
        undone: z.array(z.strictObject({ fix: coverageFix, files: z.array(undoneFile) })),
      }),
      z.strictObject({
        fixes: z.array(fixNow.extend({ refused: helperFailure.nullable() })),
      }),
      /** orphaned: until it is forgotten; both absent where nothing was */
      z.strictObject({
        held: z.array(held),
        overBoot: z.array(wished).optional(),
        orphaned: z.array(orphaned).optional(),
      }),
    ]),
  }),
  z.strictObject({ failed: helperFailure }),
]);

export type HelperRequest = z.infer<typeof helperRequest>;
export type HelperReply = z.infer<typeof helperReply>;

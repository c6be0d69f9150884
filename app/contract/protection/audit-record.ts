/**
 * The audit log: what an organisation, an administrator or a person decided about the protection of this machine. Each record
 * holds the hash of the one before, so that nothing can be changed or left out unseen by whoever knows a later hash.
 */
import { z } from 'zod';
import { mostAuditRecords } from '../bounds.ts';
import { method } from '../method.ts';

/** Every event, and its fields. None ever holds a queried name, nor text of a rule. */
export const auditEvents = {
  'service-started': ['profile', 'serial'],
  'profile-enrolled': ['profile', 'serial', 'gaveWay', 'fingerprint', 'grants', 'waiting'],
  'profile-accepted': ['profile', 'serial', 'gaveWay', 'by', 'waiting'],
  'profile-approved': ['profile', 'serial', 'gaveWay'],
  'profile-refused': ['by', 'code', 'why'],
  'profile-key-changed': ['id', 'serial'],
  'profile-rests': ['id', 'serial', 'former'],
  'profile-works': ['id', 'serial'],
  'profile-expired': [],
  'profile-left': ['profile'],
  'policy-in-force': ['file', 'settings', 'locked'],
  'policy-ended': ['file'],
  'policy-error': ['file', 'line', 'field'],
  'policy-held': ['file', 'settings'],
  'policy-unread': ['file'],
  'file-vanished': ['file'],
  'vanished-accepted': ['files'],
  /** in force; value: null where it may hold names */
  'setting-changed': ['setting', 'value'],
  'change-refused': ['method', 'setting', 'code'],
  'network-policy-set': ['network', 'policy'],
  /** it got a name, or lost it; conditions follow the name */
  'network-named': ['network'],
  'consent-allowed': ['request', 'group', 'minutes'],
  'consent-denied': ['request', 'group'],
  'login-site-allowed': [],
  'login-opened': [],
  /** a link's network says that some names are its own */
  'claim-accepted': ['link'],
  'claim-denied': ['link'],
  'dns-taken': ['mechanism', 'links'],
  'dns-given-back': ['because'],
  'protection-switched': ['to', 'minutes'],
  'switch-refused': ['to', 'code'],
  /** of one's own service; systemd stops that of a machine */
  'stop-asked': [],
  'query-log-erased': [],
  /** tickets and connections, of one upstream or of all; evidence: also what they have proved, without which no attack is seen */
  'upstream-forgotten': ['all', 'evidence'],
  'identity-added': ['name', 'fingerprint', 'replaced'],
  'identity-removed': ['name'],
  /** settings of other programs were changed, so that their queries come here */
  'coverage-fixed': ['fix', 'files'],
  'coverage-undone': ['fix', 'files'],
  'challenge-made': ['minutes'],
  'pause-code-accepted': ['minutes'],
  'pause-code-refused': ['code', 'why'],
  /** what a crash left of a record: the octets between the record before and this one */
  interrupted: ['octets', 'sha256'],
  /** the file was not as it had been written */
  'chain-broken': ['line', 'why'],
  /** records that could not be written in time */
  'records-lost': ['count'],
  /** what one account tried beyond what is recorded of an hour, the same again included */
  'refusals-left-out': ['count'],
  /** what one account did beyond what is recorded of this kind in an hour; last: what it did last, field by field */
  'deeds-left-out': ['event', 'count', 'last'],
} as const satisfies Record<string, readonly string[]>;

export type AuditEvent = keyof typeof auditEvents;

const auditValue = z.union([
  z.string().max(512),
  z.number(),
  z.boolean(),
  z.null(),
  z.array(z.string().max(128)).max(128),
]);
export type AuditFields<Event extends AuditEvent> = Record<
  (typeof auditEvents)[Event][number],
  z.infer<typeof auditValue>
>;

/** An event with its fields. */
export type AuditNote = {
  [Event in AuditEvent]: readonly [Event, AuditFields<Event>];
}[AuditEvent];

/** SHA-256 in hexadecimal digits */
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** As it stands in its line, in this order of fields. Its hash is that of the line's octets, without the line's end. */
export const auditRecord = z.strictObject({
  /** 1, 2, 3 …, also from file to file */
  seq: z.int().positive(),
  /** RFC 3339, by the clock of the machine */
  time: z.iso.datetime(),
  event: z.string().max(64),
  /** number of the account; null: the service by itself */
  who: z.int().nullable(),
  fields: z.record(z.string(), auditValue),
  /** of the record before; of the first one: zeros */
  prev: hash,
});
export type AuditRecord = z.infer<typeof auditRecord>;

export const auditHead = z.strictObject({
  /** 0: none yet */
  records: z.int().nonnegative(),
  /** of the last record */
  hash,
});
export type AuditHead = z.infer<typeof auditHead>;

export const auditMethods = {
  /** The newest records, oldest first. It says who decided what, so it is for administrators. */
  'audit.list': method('administer', {
    params: z.strictObject({
      limit: z.int().min(1).max(mostAuditRecords),
      /** Unix milliseconds */
      since: z.number().optional(),
      /** only records with a smaller number */
      before: z.int().positive().optional(),
    }),
    result: z.strictObject({ records: z.array(auditRecord), head: auditHead }),
  }),
  /** For whoever keeps it elsewhere, so that a change of the log can be found. */
  'audit.head': method('control', { params: z.strictObject({}), result: auditHead }),
};

/** Events that nobody caused by a method, such as a change of a policy's file: the audit log records them beside the journal. */
import type { JournalWord } from '../../contract/journal.ts';
import type { AuditEvent, AuditNote } from '../../contract/protection/audit-record.ts';
import type { Journal } from '../logging/journal.ts';
import type { AuditLog } from './audit-log.ts';

/** They have the same name and the same fields in both. */
const same: readonly (JournalWord & AuditEvent)[] = [
  'policy-in-force',
  'policy-ended',
  'policy-error',
  'policy-held',
  'policy-unread',
  'file-vanished',
  'profile-key-changed',
  'profile-rests',
  'profile-works',
  'dns-taken',
  'dns-given-back',
];

/** Networks and other programs can bring these about, too. */
const limited: ReadonlySet<JournalWord> = new Set(['dns-taken', 'dns-given-back']);

export function auditedJournal(journal: Journal, audit: Pick<AuditLog, 'note'>): Journal {
  return {
    note(event, fields) {
      journal.note(event, fields);
      const word = same.find((one) => one === event);
      if (word !== undefined)
        audit.note([word, fields] as unknown as AuditNote, {
          account: null,
          isTrusted: !limited.has(word),
        });
      const { issue }: { issue?: unknown } = fields;
      if (event === 'issue-raised' && issue === 'profile-expired')
        audit.note(['profile-expired', {}]);
    },
  };
}

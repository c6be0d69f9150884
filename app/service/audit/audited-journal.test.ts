/** Events of the journal that the audit log has as well, with the fields that it declares. */
import { expect, test } from 'vitest';
import { type JournalEvent, type JournalWord, journalEvents } from '../../contract/journal.ts';
import { type AuditNote, auditEvents } from '../../contract/protection/audit-record.ts';
import type { Cause } from './audit-log.ts';
import { auditedJournal } from './audited-journal.ts';

function recordedFor(word: JournalWord, fields: Record<string, unknown>): AuditNote[] {
  const notes: AuditNote[] = [];
  const told: unknown[] = [];
  const journal = { note: (event: JournalWord) => told.push(event) };
  auditedJournal(journal, { note: (note) => notes.push(note) }).note(word, fields as never);
  expect(told).toEqual([word]);
  return notes;
}

test('each event of the journal is told there, and recorded with no other fields than are declared', () => {
  const recorded = Object.entries(journalEvents).flatMap(
    ([word, { fields }]: [string, JournalEvent]) =>
      recordedFor(word as JournalWord, Object.fromEntries(fields.map((field) => [field, 'x']))),
  );
  for (const [event, fields] of recorded)
    expect([event, Object.keys(fields)]).toEqual([event, auditEvents[event]]);
  expect(recorded.map(([event]) => event).sort()).toEqual([
    'dns-given-back',
    'dns-taken',
    'file-vanished',
    'policy-ended',
    'policy-error',
    'policy-held',
    'policy-in-force',
    'policy-unread',
    'profile-key-changed',
    'profile-rests',
    'profile-works',
  ]);
});

test('what networks and other programs can bring about has the limit of those who are no administrators', () => {
  const causes = (['dns-given-back', 'policy-ended'] as const).map((word) => {
    const found: (Cause | undefined)[] = [];
    const audit = { note: (_note: unknown, cause?: Cause) => found.push(cause) };
    auditedJournal({ note: () => {} }, audit).note(word, { because: 'x', file: 'x' } as never);
    return found;
  });
  expect(causes).toEqual([
    [{ account: null, isTrusted: false }],
    [{ account: null, isTrusted: true }],
  ]);
});

test('of all health issues, only the end of a profile is recorded', () => {
  const raised = (issue: string) => recordedFor('issue-raised', { issue, severity: 'warning' });
  expect(raised('profile-expired')).toEqual([['profile-expired', {}]]);
  expect(raised('profile-waits')).toEqual([]);
});

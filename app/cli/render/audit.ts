/** The audit log as text: one record a line, and its head. */
import type { AuditHead, AuditRecord } from '../../contract/protection/audit-record.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { dayAndMinute } from '../terminal/clock.ts';
import { padEnd, padStart } from '../terminal/terminal-text.ts';

/** As people copy it. */
export function sayHead({ records, hash }: AuditHead): string {
  return `${records}:${hash}`;
}

export function sayRecord({ seq, time, event, who, fields }: AuditRecord): string {
  const told = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${[value].flat().join(', ') || '–'}`],
  );
  const account = padEnd(who === null ? '–' : String(who), 6);
  const cells = [padStart(String(seq), 6), dayAndMinute(Date.parse(time)), account, event, ...told];
  return safe(cells.join('  '));
}

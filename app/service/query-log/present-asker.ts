/** Which program sent a query, as the contract shows it. */
import { basename } from 'node:path';
import { attributions } from '../../contract/engine-words.ts';
import type { Asker } from '../../contract/query-log/query-event.ts';
import { forwarders } from '../conditions/forwarders.ts';
import type { EventRecord } from '../engine/boundary.ts';
import { desktopApplications, desktopFolders } from './desktop-applications.ts';

type AskerFields = Pick<
  EventRecord,
  'attribution' | 'program' | 'unit' | 'container' | 'executable' | 'user'
>;

export const applicationOf = desktopApplications(desktopFolders());

export function presentAsker(fields: AskerFields): Asker {
  const { program, unit, container, executable, user } = fields;
  const { name, icon } = applicationOf(program);
  return {
    attribution: attributions[fields.attribution] ?? 'not-looked-up',
    program,
    application: name,
    icon,
    forwards: forwards(program, executable),
    unit,
    container,
    executable,
    user,
  };
}

export function forwards(program: string, executable: string): boolean {
  return forwarders.has(program) || forwarders.has(basename(executable));
}

/** Which program sent a query, as the contract shows it. */
import { basename } from 'node:path';
import { attributions } from '../../contract/engine-words.ts';
import type { Asker } from '../../contract/query-log/query-event.ts';
import type { EventRecord } from '../engine/boundary.ts';
import { desktopApplications, desktopFolders } from './desktop-applications.ts';

type AskerFields = Pick<
  EventRecord,
  'attribution' | 'program' | 'unit' | 'container' | 'executable' | 'user'
>;

/** Programs that ask for others. What they send says nothing of who wanted to know. */
const forwarders: ReadonlySet<string> = new Set([
  'systemd-resolved',
  'dnsmasq',
  'unbound',
  'named',
  'bind9',
  'knot-resolver',
  'kresd',
  'pdns-recursor',
  'pdns_recursor',
  'coredns',
  'stubby',
  'dnscrypt-proxy',
  'nscd',
  'unscd',
]);

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

/** What an audit of connections can't see, in sentences for people. */
import { inEnglish, type Said, say } from '../../contract/sentences/sentence.ts';
import type { ConnectionsReport } from '../../contract/system/connections.ts';
import type { AuditReport } from '../engine/boundary.ts';

/** `isTaken`: the system's DNS is with Sotto. */
export function limitsOf(
  { betweenLooks, seen }: Pick<AuditReport, 'betweenLooks' | 'seen'>,
  isTaken: boolean,
): ConnectionsReport['limits'] {
  const limits: Said[] = [
    ...(isTaken ? [] : [say('connections-not-led-here')]),
    ...(seen?.isWhole === false ? [say('connections-unread')] : []),
    say('connections-brief', { seconds: betweenLooks / 1000 }),
    say('connections-unconnected'),
    say('connections-elsewhere'),
    say('connections-named-elsewhere'),
    say('connections-shared'),
    say('connections-evaded'),
  ];
  return limits.map((limit) => ({ text: inEnglish(limit), says: [limit] }));
}

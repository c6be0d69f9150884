/** The rows of the matrix: what the settings say, and what the person answers. */
import type { ProtectionStateName } from '../../../app/contract/protection/protection-state.ts';

export interface Policy {
  name: string;
  downgrade: 'refuse' | 'warn' | 'fallback';
  answer: 'allow' | 'deny' | null;
  /** the state while no private path works, before and after the answer */
  unanswered: ProtectionStateName;
  settled: ProtectionStateName;
}

export const policies: readonly Policy[] = [
  row('refuse', 'refuse', null, 'refusing', 'refusing'),
  row('warn, unanswered', 'warn', null, 'asking', 'asking'),
  row('warn, allowed', 'warn', 'allow', 'asking', 'exposed'),
  row('warn, denied', 'warn', 'deny', 'asking', 'refusing'),
  row('fallback', 'fallback', null, 'exposed', 'exposed'),
];

/** Whether anything may leave in cleartext at all. */
export function maySpeakClear({ settled }: Policy): boolean {
  return settled === 'exposed';
}

function row(
  name: string,
  downgrade: Policy['downgrade'],
  answer: Policy['answer'],
  unanswered: ProtectionStateName,
  settled: ProtectionStateName,
): Policy {
  return { name, downgrade, answer, unanswered, settled };
}

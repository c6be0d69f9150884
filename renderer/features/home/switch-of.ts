/** What the switch of the band shows and does. It is on where nothing leaves unencrypted but the exceptions in force. Pure. */
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';

export interface SwitchOf {
  shows: 'on' | 'half' | 'off';
  /** null: nothing here can turn it */
  does: 'turn-off' | 'turn-on' | 'protect' | 'stop' | null;
}

export function switchOf({
  verdict,
  systemDns,
  clear,
}: Pick<ServiceStatus, 'verdict' | 'systemDns' | 'clear'>): SwitchOf {
  const protect = systemDns?.mechanism == null ? null : 'protect';
  switch (verdict.is) {
    case 'partly':
      return { shows: 'half', does: 'turn-off' };
    case 'off':
    case 'paused':
      return { shows: 'off', does: 'turn-on' };
    case 'not-in-use':
      return { shows: 'off', does: verdict.why === 'coverage-gap' ? null : protect };
    case 'unencrypted':
      if (verdict.by === 'contest') return { shows: 'off', does: protect };
      return { shows: 'off', does: canBeStopped(clear) ? 'stop' : null };
    default:
      return { shows: 'on', does: 'turn-off' };
  }
}

/** A stricter policy ends what a policy allowed; a rule that is a downgrade ends when the rule does. */
export function canBeStopped(clear: ServiceStatus['clear']): boolean {
  return clear.some((entry) => entry.class === 'policy' && entry.rule === '');
}

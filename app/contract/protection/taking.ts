/** How far this computer is led to us, from the status alone; page and tray show it after a person asked for it. Pure. */
import type { ServiceStatus } from '../status/service-status.ts';
import type { Verdict } from './verdict.ts';

export type Taking =
  | 'not-wanted'
  /** wanted, and not done yet */
  | 'changing'
  /** wanted, and something prevents it: `systemDns.trouble` */
  | 'failed'
  | 'off'
  | 'no-link'
  | 'contested'
  /** the system names us; no query of a program was seen to arrive yet */
  | 'checking'
  | 'not-arriving'
  /** the system names us, and the verdict says what its queries meet */
  | 'led'
  /** a query of this computer arrived */
  | 'working'
  | 'partly';

export function takingOf({ systemDns, verdict }: ServiceStatus): Taking {
  if (systemDns === null) return 'changing';
  const { wanted, taken, trouble, givenBackFor } = systemDns;
  if (!wanted) return 'not-wanted';
  if (!taken) return givenBackFor ?? (trouble === null ? 'changing' : 'failed');
  return takenUnder(verdict);
}

function takenUnder(verdict: Verdict): Taking {
  switch (verdict.is) {
    case 'protected':
      return 'working';
    case 'partly':
      return 'partly';
    case 'not-in-use':
      return 'not-arriving';
    case 'connecting':
      return verdict.waitsFor === 'look' ? 'checking' : 'led';
    case 'unencrypted':
      return verdict.by === 'contest' ? 'contested' : 'led';
    default:
      return 'led';
  }
}

/** Nothing more is going to happen by itself. */
export function isSettled(taking: Taking): boolean {
  return taking !== 'changing' && taking !== 'checking';
}

/**
 * What a signal that ends programs means for the system's DNS. DNS is given back only on request: a stop that systemd was asked
 * for, or Ctrl-C. Any other signal is a death like a crash, and DNS stays as it is until the service is started again.
 */
import { readFileSync } from 'node:fs';
import type { ServiceMode } from '../control/peer-role.ts';
import type { StopReason } from '../system-dns/stop-reason.ts';

/** `leave`: the service is to end, and DNS to stay with us. */
export type Ending = 'give-back' | 'leave' | 'killed';

interface Facts {
  signal: NodeJS.Signals;
  mode: ServiceMode;
  /** the stop reason that root leaves for the machine's service */
  reason: StopReason | null;
  /** a Ctrl-C there would reach us */
  atTerminal: boolean;
}

export function meaningOf({ signal, mode, reason, atTerminal }: Facts): Ending {
  if (mode !== 'system') return signal === 'SIGINT' && atTerminal ? 'give-back' : 'killed';
  if (reason === null) return 'killed';
  return reason === 'stop' ? 'give-back' : 'leave';
}

/** Whether this process is in the foreground of the terminal that it was started from. */
export function isAtTerminal(): boolean {
  try {
    return isInForeground(readFileSync('/proc/self/stat', 'latin1'));
  } catch {
    return process.stdin.isTTY === true;
  }
}

/** `stat`: as in proc(5). A program's name may hold spaces and brackets. */
export function isInForeground(stat: string): boolean {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [, , group, , terminal, foreground] = fields.map(Number);
  return terminal !== 0 && terminal !== undefined && group === foreground;
}

/** The clock since the machine's start, which nobody can set, and which goes on over restarts of the service and while it sleeps. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';

export interface MachineClock {
  /** Unix milliseconds, as somebody set it */
  wall(): number;
  /** milliseconds since the machine started */
  sinceBoot(): number;
  /** names this start of the machine */
  boot: string;
}

export function machineClock(): MachineClock {
  return { wall: Date.now, sinceBoot: () => uptime() * 1000, boot: thisBoot() };
}

/** random(4); where there is none, each start of the service counts as one of the machine. */
function thisBoot(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return randomUUID();
  }
}

/** The id of this machine, of which machine-id(5) asks programs to show only a keyed hash. */
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** The same for one purpose on one machine, and another for every other purpose; null: the machine has no id. */
export function hashOfMachine(purpose: string, machineId = readMachineId()): Buffer | null {
  return machineId === null ? null : createHmac('sha256', machineId).update(purpose).digest();
}

function readMachineId(): string | null {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim() || null;
  } catch {
    return null;
  }
}

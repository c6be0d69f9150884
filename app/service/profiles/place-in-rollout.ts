/** Where a machine stands among all that take a profile, so that a version can come to some of them first. */
import { createHmac, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * At least 0 and less than 100. The same for every version of a profile, and another for another profile. machine-id(5) asks
 * programs to show only a keyed hash of the machine's id.
 */
export function placeInRollout(profile: string, machineId = readMachineId()): number {
  const hash = createHmac('sha256', machineId ?? randomBytes(16));
  const number = hash.update(`sotto rollout ${profile}`).digest().readUInt32BE();
  return (number / 2 ** 32) * 100;
}

function readMachineId(file = '/etc/machine-id'): string | null {
  try {
    return readFileSync(file, 'utf8').trim() || null;
  } catch {
    return null;
  }
}

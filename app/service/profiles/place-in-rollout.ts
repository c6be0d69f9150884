/** Where a machine stands among all that take a profile, so that a version can come to some of them first. */
import { randomBytes } from 'node:crypto';
import { hashOfMachine } from '../base/machine-id.ts';

/** At least 0 and less than 100. The same for every version of a profile, and another for another profile. */
export function placeInRollout(profile: string, machineId?: string): number {
  const hash = hashOfMachine(`sotto rollout ${profile}`, machineId) ?? randomBytes(4);
  return (hash.readUInt32BE() / 2 ** 32) * 100;
}

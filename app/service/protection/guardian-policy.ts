/**
 * What guardian and helper may do when the service does not start, in a file they read then (native/guardian-policy). A missing
 * file means `refuse`, so it is removed where it can't be written.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { DowngradePolicy } from '../../contract/settings/downgrade-policies.ts';
import { writeDurably } from '../base/durable-file.ts';
import { sayErrno } from '../base/errno-words.ts';
import { strictest } from '../network/effective-policy.ts';

export interface GuardianPolicy {
  policy: DowngradePolicy;
  /** an administrator has locked it */
  locked: boolean;
}

export interface GuardianTeller {
  /** Writes a stricter policy before it is in force. */
  before(next: GuardianPolicy): void;
  /** Writes a looser policy after it is in force. */
  inForce(next: GuardianPolicy): void;
}

/** `tell` is called with changes only; durable when it returns. */
export function createGuardianTeller(tell: (policy: GuardianPolicy) => void): GuardianTeller {
  let told: GuardianPolicy | null = null;
  function inForce(next: GuardianPolicy): void {
    if (isDeepStrictEqual(told, next)) return;
    tell(next);
    told = next;
  }
  return {
    before(next) {
      if (told === null || strictest([told.policy, next.policy]) === next.policy) inForce(next);
    },
    inForce,
  };
}

export interface GuardianWord {
  /** To be called before a stricter policy is reported as in force. */
  policy(policy: GuardianPolicy): Result<null>;
  /** Whether the system's DNS is led to us: before it is, and after it no longer is. */
  taken(taken: boolean): Result<null>;
  /**
   * Whether guardian and helper would keep the system's DNS with us. They do, until a policy is known (native/guardian-policy).
   */
  keepsDns(): boolean;
}

/** Two callers decide one half each; each half is durable when the call returns. */
export function openGuardianWord(stateFolder: string): GuardianWord {
  let policy: GuardianPolicy | null = null;
  let taken = wasTaken(stateFolder);
  const write = () =>
    policy === null ? succeed(null) : writeGuardianWord(stateFolder, { ...policy, taken });
  return {
    policy(next) {
      policy = next;
      return write();
    },
    taken(next) {
      if (next === taken) return succeed(null);
      taken = next;
      return write();
    },
    keepsDns: () => policy === null || policy.locked || policy.policy === 'refuse',
  };
}

/** As an earlier run of the service left it, until the system's DNS was examined. */
function wasTaken(stateFolder: string): boolean {
  try {
    return JSON.parse(readFileSync(join(stateFolder, 'guardian.json'), 'utf8')).taken === true;
  } catch {
    return false;
  }
}

function writeGuardianWord(
  stateFolder: string,
  { policy, locked, taken }: GuardianPolicy & { taken: boolean },
): Result<null> {
  const file = join(stateFolder, 'guardian.json');
  try {
    writeDurably(file, `${JSON.stringify({ policy, locked, taken })}\n`);
    return succeed(null);
  } catch (error) {
    const then = remove(file)
      ? 'the guardian gives nothing back'
      : 'nor remove it, so the guardian goes by what it read before';
    return fail(
      'state-unwritable',
      `can't write ${file}: ${sayErrno(error)}; ${then}`,
      'free space on the disk and check who owns the folder',
      file,
    );
  }
}

/** Returns whether the file is gone. A full disk must not keep a policy from coming into force. */
function remove(file: string): boolean {
  try {
    rmSync(file, { force: true });
    return true;
  } catch {
    return false;
  }
}

/** Whether state and history can be written, and have room to grow. */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { sayOctets } from '../../contract/quantity.ts';
import type { LogStatus } from '../../contract/service-status.ts';
import type { Settings } from '../../contract/settings-shape.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const megabyte = 1024 * 1024;
/** What the ledger and the switch need, with room to spare. */
const leastFree = 16 * megabyte;

export function checkDisk(
  stateFolder: string,
  log: LogStatus | null,
  settings: Settings['queryLog'] | null,
): Finding[] {
  const folder = nearestExisting(stateFolder);
  const writable = canWrite(folder);
  const { bavail, bsize } = statfsSync(folder);
  const facts = {
    folder,
    writable,
    free: bavail * bsize,
    used: log?.octets ?? 0,
    allowed: settings === null || settings.mode === 'off' ? 0 : settings.maxMegabytes * megabyte,
  };
  return [judgeDisk(facts), ...(log === null ? [] : [judgeLog(log)])];
}

interface DiskFacts {
  folder: string;
  writable: boolean;
  /** octets, as all of these */
  free: number;
  used: number;
  allowed: number;
}

export function judgeDisk({ folder, writable, free, used, allowed }: DiskFacts): Finding {
  if (!writable)
    return fail('disk', `${folder} can't be written.`, 'check who owns it and its permissions');
  if (free < leastFree)
    return fail('disk', `Only ${sayOctets(free)} are free in ${folder}.`, 'free space on the disk');
  if (free < allowed - used)
    return warn(
      'disk',
      `The history may grow to ${sayOctets(allowed)}, but only ${sayOctets(free)} are free in ${folder}.`,
      'free space on the disk, or lower queryLog.maxMegabytes',
    );
  return ok('disk', `${folder} can be written; ${sayOctets(free)} are free.`);
}

export function judgeLog({ state, reason, rows, octets, lost }: LogStatus): Finding {
  if (state === 'off') return ok('history', 'No history is kept: queryLog.mode is "off".');
  if (state === 'stopped')
    return fail(
      'history',
      `The history is not being written: ${reason ?? 'the cause is unknown'}. DNS goes on.`,
      'free space on the disk, or correct the permissions of its folder; it goes on by itself',
    );
  const size = `${rows} questions, ${sayOctets(octets)}`;
  if (lost > 0)
    return warn(
      'history',
      `The history is being written (${size}), but ${lost} questions are missing.`,
      'nothing needs to be done; counters stay exact',
    );
  return ok('history', `The history is being written: ${size}.`);
}

/** Before its first start the service's folder is not there yet. */
function nearestExisting(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder
    ? folder
    : nearestExisting(dirname(folder));
}

function canWrite(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Whether state and query log can be written, and have room to grow. */
import { accessSync, constants, existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { say } from '../../contract/sentences/sentence.ts';
import type { Settings } from '../../contract/settings/settings-shape.ts';
import type { LogStatus } from '../../contract/status/service-status.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const megabyte = 1_000_000;
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
  if (!writable) return fail('disk', say('folder-unwritable', { folder }), say('check-owner'));
  if (free < leastFree) return fail('disk', say('disk-full', { free, folder }), say('free-space'));
  if (free < allowed - used)
    return warn(
      'disk',
      say('disk-narrow', { allowed, free, folder }),
      say('free-space-or-smaller-query-log'),
    );
  return ok('disk', say('disk-roomy', { folder, free }));
}

export function judgeLog({ state, reason, rows, octets, lost }: LogStatus): Finding {
  if (state === 'off') return ok('query-log', say('query-log-off'));
  if (state === 'stopped')
    return fail(
      'query-log',
      reason === null ? say('query-log-stopped-unknown') : say('query-log-stopped', { reason }),
      say('free-space-or-permit'),
    );
  const kept = { rows, size: octets };
  if (lost > 0)
    return warn(
      'query-log',
      say('query-log-gaps', { ...kept, lost }),
      say('nothing-to-do-counters'),
    );
  return ok('query-log', say('query-log-written', kept));
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

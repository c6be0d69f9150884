/** Opens the ledger after a crash of the service before this one, or after a time without a service. */
import { rmSync } from 'node:fs';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { ServicePaths } from '../../contract/service-paths.ts';
import { sayErrno } from '../base/errno-words.ts';
import { type LastCounts, readLastCounts } from './lease-counts.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { importServiceDown } from './service-down-journal.ts';

export interface TakenOver {
  ledger: Ledger;
  /** what could not be taken over, in words; null where everything was */
  trouble: string | null;
}

/** To be called before the engine is there: it begins a file of counts of its own. */
export function takeOverLedger(
  paths: Pick<ServicePaths, 'ledgerFile' | 'countsFile' | 'serviceDownFile'>,
  now: () => number,
): Result<TakenOver> {
  let last: LastCounts = { counts: new Map(), trouble: null };
  const opened = tryOpen(paths.ledgerFile, now, () => {
    last = readLastCounts(paths.countsFile);
    return last.counts;
  });
  if (!opened.ok) return opened;
  const ledger = opened.value;
  // Only now are the counts safe in the ledger. If the file can't be removed, its entries are closed already.
  tryRemove(paths.countsFile);
  const down = importServiceDown(paths.serviceDownFile, ledger.add);
  const trouble = [last.trouble, down].filter((one) => one !== null).join(' ');
  return succeed({ ledger, trouble: trouble === '' ? null : trouble });
}

/** Fails on a lock of another service, and on a folder that can't be used. */
function tryOpen(
  file: string,
  now: () => number,
  lastCounts: () => ReadonlyMap<number, number>,
): Result<Ledger> {
  try {
    return succeed(openLedger(file, now, lastCounts));
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY'))
      return fail(
        'already-running',
        'another Sotto uses the same folder',
        'stop it first, or give this one another folder with SOTTO_HOME',
        file,
      );
    return fail(
      'state-unwritable',
      `can't open ${file}: ${sayErrno(error)}`,
      'check who owns its folder, and that the disk has room',
      file,
    );
  }
}

function tryRemove(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The engine reports it if it can't use it.
  }
}

/**
 * What the guardian wrote while the service was down and DNS was given back: one JSON object a line, first `since` with `until:
 * null`, later perhaps a second line with the end. It is taken over into the ledger, then emptied.
 */
import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { sayErrno } from '../base/errno-words.ts';

const unixMilliseconds = z.number().nonnegative();

const serviceDown = z.strictObject({
  since: unixMilliseconds,
  until: unixMilliseconds.nullable(),
  reason: z.string(),
  count: z.int().nonnegative().nullable(),
});

export type ServiceDown = z.infer<typeof serviceDown>;

/** `add` must be durable when it returns. Returns what could not be taken over, in words; null where all was. */
export function importServiceDown(
  file: string,
  add: (periods: readonly ServiceDown[]) => void,
): string | null {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r+');
  } catch (error) {
    const never = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return never ? null : `Can't read ${file}: ${sayErrno(error)}.`;
  }
  try {
    const octets = readFileSync(descriptor);
    const { periods, unreadable } = parseJournal(octets.toString('utf8'));
    if (periods.length > 0) add(periods);
    // If the guardian wrote meanwhile, its line is read next time, together with what was taken over now.
    if (fstatSync(descriptor).size === octets.length) {
      ftruncateSync(descriptor);
      fsyncSync(descriptor);
    }
    return unreadable === 0 ? null : `${unreadable} lines of ${file} are no entries.`;
  } catch (error) {
    return `Can't take over ${file}: ${sayErrno(error)}.`;
  } finally {
    closeSync(descriptor);
  }
}

/** A later line about the same time replaces the earlier one. */
export function parseJournal(text: string): { periods: ServiceDown[]; unreadable: number } {
  const periods = new Map<number, ServiceDown>();
  let unreadable = 0;
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    const period = parseLine(line);
    if (period === null) unreadable++;
    else periods.set(period.since, period);
  }
  return { periods: [...periods.values()], unreadable };
}

function parseLine(line: string): ServiceDown | null {
  try {
    return serviceDown.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}

/** A file that somebody else may have put there: read once, and only what it may have. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { sayErrno } from './errno-words.ts';

/** Waits for no pipe, and reads neither a device nor more than `mostOctets`, also where the file grows meanwhile. */
export function readBounded(
  file: string,
  mostOctets: number,
): { octets: Buffer } | { reason: string } {
  try {
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const found = fstatSync(descriptor);
      if (found.isDirectory()) return { reason: 'it is a folder' };
      if (!found.isFile()) return { reason: 'it is not a regular file' };
      const octets = found.size > mostOctets ? null : readUpTo(descriptor, found.size, mostOctets);
      return octets === null ? { reason: `it is larger than ${mostOctets} octets` } : { octets };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return { reason: sayErrno(error) };
  }
}

/** Null: there is more. */
function readUpTo(descriptor: number, likely: number, mostOctets: number): Buffer | null {
  let octets = Buffer.allocUnsafe(likely + 1);
  let length = 0;
  for (;;) {
    const read = readSync(descriptor, octets, length, octets.length - length, null);
    length += read;
    if (length > mostOctets) return null;
    if (read === 0) return octets.subarray(0, length);
    if (length === octets.length)
      octets = Buffer.concat([octets], Math.min(2 * length, mostOctets + 1));
  }
}

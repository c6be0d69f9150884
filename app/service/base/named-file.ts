/**
 * Reads a file whose name somebody gave: a regular file of bounded size, opened once, and nothing else. A pipe is not waited for, a
 * device is not opened, and a file that grows while it is read, or says that it is empty, ends at the bound.
 */
import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { sayErrno } from './errno-words.ts';

export type NamedFileRead = { octets: Buffer } | { reason: string };

export function readNamedFile(file: string, mostOctets: number): NamedFileRead {
  try {
    // To open a device may already do something.
    const unfit = whyUnfit(statSync(file), mostOctets);
    if (unfit !== null) return { reason: unfit };
    const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const changed = whyUnfit(fstatSync(descriptor), mostOctets);
      return changed === null ? readBounded(descriptor, mostOctets) : { reason: changed };
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    return { reason: sayErrno(error) };
  }
}

interface Found {
  isFile(): boolean;
  isDirectory(): boolean;
  size: number;
}

function whyUnfit(found: Found, mostOctets: number): string | null {
  if (found.isDirectory()) return 'it is a folder';
  if (!found.isFile()) return 'it is not a regular file';
  return found.size > mostOctets ? tooLarge(mostOctets) : null;
}

function readBounded(descriptor: number, mostOctets: number): NamedFileRead {
  const parts: Buffer[] = [];
  for (let length = 0; length <= mostOctets; ) {
    const part = Buffer.allocUnsafe(Math.min(65_536, mostOctets + 1 - length));
    const read = readSync(descriptor, part);
    if (read === 0) return { octets: Buffer.concat(parts) };
    parts.push(part.subarray(0, read));
    length += read;
  }
  return { reason: tooLarge(mostOctets) };
}

function tooLarge(mostOctets: number): string {
  return `it is larger than ${mostOctets} octets`;
}

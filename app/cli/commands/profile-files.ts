/** Files that an issuer's commands read and write: profiles, keys and signatures. */
// biome-ignore-start lint/style/noRestrictedImports: what these commands read, a service reads; none has to run.
import { readBounded } from '../../service/base/bounded-file.ts';
import { sayErrno } from '../../service/base/errno-words.ts';
import { type Writing, writeTo } from '../../service/base/open-to-write.ts';
import { mostProfileOctets } from '../../service/profiles/profile-file.ts';
// biome-ignore-end lint/style/noRestrictedImports: what these commands read, a service reads; none has to run.
import { badUsage } from '../failure.ts';

export function readText(file: string): string {
  return readOctets(file).toString('utf8');
}

/** No key, signature or profile is larger, and none is a pipe or a device. */
export function readOctets(file: string): Buffer {
  const read = readBounded(file, mostProfileOctets);
  if ('octets' in read) return read.octets;
  throw badUsage(`${file}: ${read.reason}`, 'check its name and who may read it');
}

export function writeNew(file: string, text: string, mode: number): void {
  write(file, text, 'new', mode);
}

export function writeOver(file: string, text: string): void {
  write(file, text, 'over', 0o644);
}

function write(file: string, text: string, writing: Writing, mode: number): void {
  try {
    writeTo(file, text, writing, mode);
  } catch (error) {
    throw asUsage(error, file);
  }
}

function asUsage(error: unknown, file: string): unknown {
  const isErrno = typeof (error as NodeJS.ErrnoException).code === 'string';
  return isErrno && error instanceof Error
    ? badUsage(`${file}: ${sayErrno(error)}`, 'check its name and who may read and write there')
    : error;
}

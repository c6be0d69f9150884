/** Files of a source: each read once, only as much as it may have, and only where it is a regular file. */
import { existsSync } from 'node:fs';
import { type Failure, fail, type Result, succeed } from '../../../contract/errors.ts';
import { readBounded } from '../../base/bounded-file.ts';
import type { Signed } from '../judge-version.ts';
import { mostProfileOctets } from '../profile-file.ts';
import type { Document } from './https-get.ts';

export interface Found {
  /** one, or those in the folder that one of the keys signed */
  versions: Signed[];
  /** in the folder, and signed by none of them */
  refused: RefusedFile[];
  /** to be told when it is fetched again */
  tag: string | null;
}

export interface RefusedFile {
  failure: Failure;
  /** of it, as far as it was read */
  octets: string;
}

export const mostOfSignature = 4096;

/** What has no signature beside it is read as well, so that whoever judges it tells that somebody changed it. */
export function readSignedFile(path: string): Result<Signed> {
  const signature = readSignature(path);
  if (signature.ok) return readSigned(path, signature.value);
  return existsSync(`${path}.minisig`) ? signature : readSigned(path, '');
}

export function readSignature(path: string): Result<string> {
  const read = readDocument(`${path}.minisig`, mostOfSignature);
  return read.ok ? succeed(read.value.octets.toString('latin1')) : read;
}

export function readSigned(path: string, signature: string): Result<Signed> {
  const read = readDocument(path, mostProfileOctets);
  return read.ok ? succeed({ profile: read.value.octets.toString('base64'), signature }) : read;
}

export function readDocument(path: string, mostOctets: number): Result<Document> {
  const read = readBounded(path, mostOctets);
  return 'octets' in read
    ? succeed({ octets: read.octets, tag: null })
    : unreadable(path, read.reason);
}

export function unreadable(path: string, why: string): Result<never> {
  return fail('profile-unreachable', `${path}: ${why}`, 'check that it is there and readable');
}

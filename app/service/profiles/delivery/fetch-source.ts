/** What lies at the source of a profile: by HTTPS, in a file, or in a folder into which somebody drops versions. */
import { constants } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fail, type Result, succeed } from '../../../contract/errors.ts';
import { sayErrno } from '../../base/errno-words.ts';
import type { Signed } from '../judge-version.ts';
import { mostProfileOctets } from '../profile-file.ts';
import { type Document, httpsGet, type Wanted } from './https-get.ts';

export interface Fetching {
  source: URL;
  /** IP addresses of its host */
  resolve(): Promise<readonly string[]>;
  signal: AbortSignal;
  trusted?: Wanted['trusted'];
}

export interface Found {
  /** one, or those in the folder */
  versions: Signed[];
  /** to be told when it is fetched again */
  tag: string | null;
}

const mostOfSignature = 4096;
const mostVersions = 32;

/** Null: the source has not changed since it had this tag. */
export async function fetchSource(
  from: Fetching,
  tag: string | null,
): Promise<Result<Found | null>> {
  if (from.source.protocol === 'https:') return await fetchVersion(from, tag);
  if (!from.source.pathname.endsWith('/')) return await readVersion(from.source);
  return await readFolder(fileURLToPath(from.source));
}

/** The public key beside it, SOURCE.pub. */
export async function fetchKey(from: Fetching): Promise<Result<string>> {
  const found = await get(from, `${from.source.href}.pub`, null, mostOfSignature);
  if (!found.ok) return found;
  return succeed(found.value?.octets.toString('latin1') ?? '');
}

async function fetchVersion(from: Fetching, tag: string | null): Promise<Result<Found | null>> {
  const profile = await get(from, from.source.href, tag, mostProfileOctets);
  if (!profile.ok || profile.value === null) return profile as Result<null>;
  const signature = await get(from, `${from.source.href}.minisig`, null, mostOfSignature);
  if (!signature.ok) return signature;
  return succeed({
    versions: [pair(profile.value.octets, signature.value?.octets)],
    tag: profile.value.tag,
  });
}

async function get(
  { source, resolve, signal, trusted }: Fetching,
  href: string,
  tag: string | null,
  mostOctets: number,
): Promise<Result<Document | null>> {
  if (source.protocol === 'file:') return await readDocument(new URL(href), mostOctets);
  const wanted = { url: new URL(href), addresses: await resolve(), tag, mostOctets, signal };
  return await httpsGet(trusted === undefined ? wanted : { ...wanted, trusted });
}

async function readVersion(source: URL): Promise<Result<Found>> {
  const profile = await readDocument(source, mostProfileOctets);
  if (!profile.ok) return profile;
  const signature = await readDocument(new URL(`${source.href}.minisig`), mostOfSignature);
  if (!signature.ok) return signature;
  const versions = [pair(profile.value.octets, signature.value.octets)];
  return succeed({ versions, tag: null });
}

/** A file without a readable signature beside it is still being written, or is no version. */
async function readFolder(folder: string): Promise<Result<Found>> {
  try {
    const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
    const newest = names.sort().slice(-mostVersions);
    const read = await Promise.all(
      newest.map((name) => readVersion(pathToFileURL(join(folder, name)))),
    );
    return succeed({
      versions: read.flatMap((one) => (one.ok ? one.value.versions : [])),
      tag: null,
    });
  } catch (error) {
    return unreadable(folder, sayErrno(error));
  }
}

/** Waits for no pipe, and reads no device. */
async function readDocument(url: URL, mostOctets: number): Promise<Result<Document>> {
  const path = fileURLToPath(url);
  let file: FileHandle | undefined;
  try {
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = await file.stat();
    if (!found.isFile()) return unreadable(path, 'it is not a regular file');
    if (found.size > mostOctets) return unreadable(path, `it has more than ${mostOctets} octets`);
    return succeed({ octets: await file.readFile(), tag: null });
  } catch (error) {
    return unreadable(path, sayErrno(error));
  } finally {
    await file?.close();
  }
}

function pair(octets: Buffer, signature: Buffer | undefined): Signed {
  return {
    profile: octets.toString('base64'),
    signature: signature?.toString('latin1') ?? '',
  };
}

function unreadable(path: string, why: string): Result<never> {
  return fail('profile-unreachable', `${path}: ${why}`, 'check that it is there and readable');
}

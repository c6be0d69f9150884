/** What lies at the source of a profile: by HTTPS, in a file, or in a folder into which somebody drops versions. */
import { fileURLToPath } from 'node:url';
import { type Result, succeed } from '../../../contract/errors.ts';
import { mostProfileOctets } from '../profile-file.ts';
import { type Document, httpsGet, type Wanted } from './https-get.ts';
import { type Found, mostOfSignature, readDocument, readSignedFile } from './read-files.ts';
import { readFolder } from './read-folder.ts';

export interface Fetching {
  source: URL;
  /** IP addresses of its host */
  resolve(): Promise<readonly string[]>;
  signal: AbortSignal;
  postQuantum: Wanted['postQuantum'];
  trusted?: Wanted['trusted'];
}

/** Null: the source has not changed since it had this tag. `keys`: that may sign a version. */
export async function fetchSource(
  from: Fetching,
  tag: string | null,
  keys: readonly string[],
): Promise<Result<Found | null>> {
  if (from.source.protocol === 'https:') return await fetchVersion(from, tag);
  if (from.source.pathname.endsWith('/')) return await readFolder(fileURLToPath(from.source), keys);
  const read = readSignedFile(fileURLToPath(from.source));
  return read.ok ? succeed({ versions: [read.value], refused: [], tag: null }) : read;
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
  const signature = await get(from, `${from.source.href}.minisig`, null, mostOfSignature, true);
  if (!signature.ok) return signature;
  return succeed({
    versions: [
      {
        profile: profile.value.octets.toString('base64'),
        signature: signature.value?.octets.toString('latin1') ?? '',
      },
    ],
    refused: [],
    tag: profile.value.tag,
  });
}

async function get(
  { source, resolve, signal, postQuantum, trusted }: Fetching,
  href: string,
  tag: string | null,
  mostOctets: number,
  mayBeMissing = false,
): Promise<Result<Document | null>> {
  if (source.protocol === 'file:') return readDocument(fileURLToPath(new URL(href)), mostOctets);
  const addresses = await resolve();
  const common = { url: new URL(href), addresses, tag, signal };
  const wanted = { ...common, mostOctets, mayBeMissing, postQuantum };
  return await httpsGet(trusted === undefined ? wanted : { ...wanted, trusted });
}

/** A source looked at for the first time: its version and its key, before anything is trusted. */
import { fail, type Result, succeed } from '../../../contract/errors.ts';
import { newestFirst, type Signed } from '../judge-version.ts';
import { fingerprintOf, readPublicKey } from '../minisign.ts';
import { type Fetching, fetchKey, fetchSource } from './fetch-source.ts';

export type Visit = (wanted: Visited) => Promise<Result<{ version: Signed; key: string }>>;

interface Visited {
  source: string;
  address: string | null;
  /** null: it lies beside the profile */
  key: string | null;
  /** that the key must have */
  fingerprint: string;
}

export function visitor(
  fetching: (source: string, address: string | null, signal: AbortSignal) => Fetching,
  signal: AbortSignal,
): Visit {
  return async ({ source, address, key: given, fingerprint }) => {
    const from = fetching(source, address, signal);
    const key = given === null ? await fetchKey(from) : succeed(given);
    if (!key.ok) return key;
    // Nothing is read with a key that nobody has confirmed.
    return hasFingerprint(key.value, fingerprint)
      ? await newestOf(from, key.value)
      : fail(
          'fingerprint-differs',
          `the key of ${source} has another fingerprint than the one that was given`,
          'do not use it; ask the organisation for address and fingerprint once more',
        );
  };
}

async function newestOf(
  from: Fetching,
  key: string,
): Promise<Result<{ version: Signed; key: string }>> {
  const found = await fetchSource(from, null, [key]);
  if (!found.ok) return found;
  const [version] = newestFirst(found.value?.versions ?? [], [key]);
  const [first] = found.value?.refused ?? [];
  if (version === undefined && first !== undefined) return { ok: false, failure: first.failure };
  return version === undefined
    ? fail(
        'profile-unreachable',
        `${from.source.href} holds no version`,
        'put FILE.json and FILE.json.minisig there',
      )
    : succeed({ version, key });
}

export function hasFingerprint(text: string, fingerprint: string): boolean {
  const key = readPublicKey(text);
  return key !== null && fingerprintOf(key) === fingerprint;
}

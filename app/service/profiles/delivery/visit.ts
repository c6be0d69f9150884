/** A source looked at for the first time: its version and its key, before anything is trusted. */
import { fail, type Result, succeed } from '../../../contract/errors.ts';
import { newestFirst, type Signed } from '../judge-version.ts';
import { type Fetching, fetchKey, fetchSource } from './fetch-source.ts';

export type Visit = (
  source: string,
  address: string | null,
  /** null: it lies beside the profile */
  key: string | null,
) => Promise<Result<{ version: Signed; key: string }>>;

export function visitor(
  fetching: (source: string, address: string | null, signal: AbortSignal) => Fetching,
  signal: AbortSignal,
): Visit {
  return async (source, address, given) => {
    const from = fetching(source, address, signal);
    const key = given === null ? await fetchKey(from) : succeed(given);
    if (!key.ok) return key;
    const found = await fetchSource(from, null);
    if (!found.ok) return found;
    const [version] = newestFirst(found.value?.versions ?? [], [key.value]);
    return version === undefined
      ? fail(
          'profile-unreachable',
          `${source} holds no version`,
          'put FILE.json and FILE.json.minisig there',
        )
      : succeed({ version, key: key.value });
  };
}

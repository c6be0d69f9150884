/**
 * What holds where the upstreams of a version fail and those of the version before work: the version before, as far as it takes
 * nothing back that the new one made strict. The policy, locks and the log, and upstreams, authorities and pins that are gone,
 * never return, so whoever blocks the new upstreams gains nothing. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import type { SettingKey } from '../../../contract/settings/settings.ts';
import { isPrivate, type UpstreamSetting } from '../../../contract/settings/upstream-settings.ts';
import { loosensProtection } from '../../settings/loosening-change.ts';
import type { PolicyEntry } from '../../settings/policy-file.ts';

/** Null: upstreams are reached as before, so nothing that could come back would help. */
export function rolledBack(
  entries: readonly PolicyEntry[],
  former: readonly PolicyEntry[],
): PolicyEntry[] | null {
  const back = (entry: PolicyEntry) => {
    const before = former.find(({ key }) => key === entry.key);
    return before === undefined ? entry : returning(entry, before);
  };
  const isReachedOtherwise = entries.some(
    (entry) => entry.key === 'upstreams' && !isDeepStrictEqual(back(entry).value, entry.value),
  );
  return isReachedOtherwise ? entries.map(back) : null;
}

function returning(entry: PolicyEntry, { value }: PolicyEntry): PolicyEntry {
  const { key } = entry;
  if (key === 'upstreams') return { ...entry, value: reachedAsBefore(entry.value, value) };
  const stays = floor.includes(key) || loosensProtection(key, entry.value, value);
  return stays ? entry : { ...entry, value };
}

/** What protects, also where the version before was stricter: an organisation says it on purpose. */
const floor: readonly SettingKey[] = [
  'listen',
  'systemDns.take',
  'systemDns.close',
  'systemDns.mechanism',
  'systemResolvers',
  'downgrade',
  'rungs',
  'refuseFor',
  'consent',
  'groups',
  'queryLog.mode',
  'queryLog.programs',
  'queryLog.keepDays',
  'queryLog.maxMegabytes',
  'audit.connections',
];

function reachedAsBefore(upstreams: unknown, former: unknown): UpstreamSetting[] {
  return (upstreams as UpstreamSetting[]).map((upstream) => {
    const before = (former as UpstreamSetting[]).find(({ id }) => id === upstream.id);
    return before !== undefined && mayReturn(upstream, before)
      ? placedAs(upstream, before)
      : upstream;
  });
}

/**
 * A server without a name and a pin is known by its address alone, so with that another server would come back. One that wants to
 * know its clients could not be asked whether it works: a probe shows no identity.
 */
function mayReturn(upstream: UpstreamSetting, before: UpstreamSetting): boolean {
  const isNamed = upstream.name !== undefined || upstream.pins !== undefined;
  if (!isNamed || upstream.identity !== undefined) return false;
  const areBothPrivate = isPrivate(upstream.transport) && isPrivate(before.transport);
  return areBothPrivate && upstream.proxy === before.proxy;
}

/** Where the server was, which still has to prove that it is the one that the new version means. */
function placedAs(
  { alternative: _, starttls, ...upstream }: UpstreamSetting,
  { address, transport, alternative, starttls: signBefore }: UpstreamSetting,
): UpstreamSetting {
  const sign = starttls ?? signBefore;
  return {
    ...upstream,
    address,
    transport,
    ...(alternative === undefined ? {} : { alternative }),
    ...(transport !== 'tdns' || sign === undefined ? {} : { starttls: sign }),
  };
}

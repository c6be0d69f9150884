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
  const returns = comesBack[key] && !loosensProtection(key, entry.value, value);
  return returns ? { ...entry, value } : entry;
}

/**
 * Only what may keep upstreams from working. What says where names go never does: fewer bypass rules are stricter, and would send
 * internal names to an upstream. Nor does what protects, also where the version before was stricter: an organisation says it on
 * purpose.
 */
const comesBack: Record<Exclude<SettingKey, 'upstreams'>, boolean> = {
  listen: false,
  'crossCheck.names': false,
  strategy: true,
  downgrade: false,
  rungs: false,
  refuseFor: false,
  consent: false,
  pause: false,
  groups: false,
  bypass: false,
  learnRules: false,
  allowPrivate: false,
  forwardSpecial: false,
  systemResolvers: false,
  'systemDns.take': false,
  'systemDns.mechanism': false,
  'systemDns.close': false,
  'cache.entries': true,
  'cache.serveStale': true,
  'cache.staleHours': true,
  'cache.hotSet': true,
  'connections.keepWarm': true,
  'connections.dialsPerHour': true,
  'connections.keepWarmOnBattery': true,
  'connections.fastOpen': true,
  'connections.ticketHours': true,
  'connections.postQuantum': false,
  'portal.detect': false,
  'portal.minutes': false,
  'portal.probes': false,
  'queryLog.mode': false,
  'queryLog.programs': false,
  'queryLog.keepDays': false,
  'queryLog.maxMegabytes': false,
  'audit.connections': false,
  'metrics.listen': false,
  'metrics.collector': false,
  'dnstap.socket': false,
};

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

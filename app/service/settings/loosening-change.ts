/**
 * Whether a change of a setting takes away privacy: which servers see names, who may allow that they leave in cleartext, what
 * is kept of them, who can send queries here. An unclear change counts as loosening. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { parseSocketAddress } from '../../contract/dns/socket-address.ts';
import type { BypassRule } from '../../contract/settings/bypass-rule.ts';
import { type Condition, isSameCondition } from '../../contract/settings/condition.ts';
import {
  type DowngradePolicy,
  downgradePolicies,
  type GroupSetting,
} from '../../contract/settings/downgrade-policy.ts';
import { nowhere } from '../../contract/settings/fleet-settings.ts';
import type { FlatSettings, SettingKey } from '../../contract/settings/settings.ts';
import { isPrivate } from '../../contract/settings/upstream-settings.ts';

const never = () => false;
/** Another place where somebody reads what is known here. */
const opensAnother = (before: string, after: string) => after !== before && after !== nowhere;

/** By key. A new setting has to say here whether it can loosen anything. */
const loosens: {
  [Key in SettingKey]: (before: FlatSettings[Key], after: FlatSettings[Key]) => boolean;
} = {
  listen: (before, after) =>
    after.some((address) => !before.includes(address) && !isLoopback(address)),
  upstreams: (before, after) =>
    after.some((one) => !before.some((other) => isDeepStrictEqual(one, other))) ||
    (before.some(({ transport }) => isPrivate(transport)) &&
      !after.some(({ transport }) => isPrivate(transport))),
  downgrade: isLooserPolicy,
  rungs: (before, after) => after.some((rung) => !before.includes(rung)),
  refuseFor: (before, after) => before.some((old) => !after.some((one) => isAsWide(one, old))),
  consent: (before, after) => before === 'administrator' && after === 'anyone',
  pause: (before, after) => before === 'code' && after === 'allowed',
  groups: (before, after) => !isDeepStrictEqual(before, after) && !onlyStricter(before, after),
  bypass: (before, after) => {
    const ofSuffix = Map.groupBy(before, ({ suffix }) => suffix);
    return after.some((rule) => !ofSuffix.get(rule.suffix)?.some((old) => covers(old, rule)));
  },
  learnRules: (before, after) => learning.indexOf(after) > learning.indexOf(before),
  allowPrivate: addsTo,
  forwardSpecial: addsTo,
  'crossCheck.names': addsTo,
  'systemDns.take': (before, after) => before && !after,
  'systemDns.close': (before, after) => closing.indexOf(after) < closing.indexOf(before),
  systemResolvers: (before, after) => !isDeepStrictEqual(before, after),
  'queryLog.programs': (before, after) => after && !before,
  'audit.connections': (before, after) => after && !before,
  'queryLog.mode': (before, after) => logModes.indexOf(after) > logModes.indexOf(before),
  'metrics.listen': opensAnother,
  'metrics.collector': opensAnother,
  'dnstap.socket': opensAnother,
  strategy: never,
  'systemDns.mechanism': never,
  'cache.entries': never,
  'cache.serveStale': never,
  'cache.staleHours': never,
  'cache.hotSet': never,
  'connections.keepWarm': never,
  'connections.dialsPerHour': never,
  'connections.keepWarmOnBattery': never,
  'connections.fastOpen': never,
  'connections.ticketHours': never,
  'portal.detect': never,
  'portal.minutes': never,
  'portal.probes': never,
  'queryLog.keepDays': never,
  'queryLog.maxMegabytes': never,
};

/** From the strictest to the loosest. */
const logModes = ['off', 'counts', 'domain', 'full'] as const;
const closing = ['never', 'contested', 'always'] as const;
const learning = ['off', 'ask', 'vpn'] as const;

export function loosensProtection(key: SettingKey, before: unknown, after: unknown): boolean {
  const judge = loosens[key] as (before: unknown, after: unknown) => boolean;
  return judge(before, after);
}

function isLooserPolicy(before: DowngradePolicy, after: DowngradePolicy): boolean {
  return downgradePolicies.indexOf(after) > downgradePolicies.indexOf(before);
}

/**
 * True where the groups, their names and conditions are the same, and only policies are stricter. A condition that comes or goes
 * moves names to another group, which may be stricter or looser.
 */
function onlyStricter(
  before: Record<string, GroupSetting>,
  after: Record<string, GroupSetting>,
): boolean {
  if (!isDeepStrictEqual(Object.keys(before).sort(), Object.keys(after).sort())) return false;
  return Object.entries(before).every(([id, old]) => {
    const { downgrade: was, when: wasWhen, ...oldRest } = old;
    const { downgrade: is, when: isWhen, ...newRest } = after[id] as GroupSetting;
    return (
      isDeepStrictEqual(oldRest, newRest) &&
      isSameCondition(wasWhen, isWhen) &&
      (was === is || (was !== undefined && is !== undefined && isLooserPolicy(is, was)))
    );
  });
}

/** Both of the same suffix. */
function covers(old: BypassRule, rule: BypassRule): boolean {
  return (
    old.downgrade === rule.downgrade &&
    rule.to.every((server) => old.to.includes(server)) &&
    isAsWide(old.when, rule.when)
  );
}

/** Whether `wide` fits wherever `narrow` does. */
function isAsWide(wide?: Condition, narrow: Condition = {}): boolean {
  if (wide === undefined) return true;
  const parts = ['user', 'unit', 'network', 'hours'] as const;
  return parts.every((part) => {
    const [allowed, given] = [wide[part], narrow[part]] as [unknown[]?, unknown[]?];
    if (allowed === undefined) return true;
    return given?.every((item) => allowed.some((one) => isDeepStrictEqual(one, item))) ?? false;
  });
}

function addsTo(before: readonly string[], after: readonly string[]): boolean {
  return after.some((name) => !before.includes(name));
}

function isLoopback(address: string): boolean {
  const ip = parseSocketAddress(address)?.ip ?? '';
  return ip.startsWith('127.') || ip === '::1';
}

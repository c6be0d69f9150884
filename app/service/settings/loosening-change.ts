/**
 * Whether a change of a setting takes away privacy: which servers see names, who may allow that they leave in cleartext, what
 * is kept of them, who can send queries here, and how they come here. An unclear change counts as loosening. What only erases,
 * or makes Sotto slow, is in disruptive-change.ts. Pure.
 */
import { isDeepStrictEqual } from 'node:util';
import { parseSocketAddress } from '../../contract/dns/socket-address.ts';
import { type Rung, rungNames } from '../../contract/engine-words.ts';
import type { BypassRule } from '../../contract/settings/bypass-rule.ts';
import { type Condition, isSameCondition } from '../../contract/settings/condition.ts';
import {
  type DowngradePolicy,
  downgradePolicies,
} from '../../contract/settings/downgrade-policies.ts';
import type { GroupSetting } from '../../contract/settings/downgrade-policy.ts';
import { nowhere } from '../../contract/settings/fleet-settings.ts';
import type { FlatSettings, SettingKey } from '../../contract/settings/settings.ts';
import { isPrivate, type UpstreamSetting } from '../../contract/settings/upstream-settings.ts';

/** Why not: loosening-change.test.ts has a reason for each. */
const never = () => false;
const any = (before: unknown, after: unknown) => !isDeepStrictEqual(before, after);
const more = (before: number, after: number) => after > before;
const begins = (before: boolean, after: boolean) => after && !before;
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
    isOvertaken(before, after) ||
    (before.some(({ transport }) => isPrivate(transport)) &&
      !after.some(({ transport }) => isPrivate(transport))),
  downgrade: isLooserPolicy,
  rungs: (before, after) => addsTo(before, after) || leadsFurtherDown(before, after),
  refuseFor: (before, after) => before.some((old) => !after.some((one) => isAsWide(one, old))),
  consent: (before, after) => before === 'administrator' && after === 'anyone',
  pause: (before, after) => before === 'code' && after === 'allowed',
  groups: (before, after) => !isDeepStrictEqual(before, after) && !onlyStricter(before, after),
  bypass: (before, after) => isUnmatched(after, before, covers) || losesRules(before, after),
  learnRules: (before, after) => learning.indexOf(after) > learning.indexOf(before),
  allowPrivate: addsTo,
  forwardSpecial: addsTo,
  'crossCheck.names': addsTo,
  'systemDns.take': (before, after) => before && !after,
  'systemDns.close': (before, after) => closing.indexOf(after) < closing.indexOf(before),
  'systemDns.mechanism': any,
  systemResolvers: any,
  'queryLog.programs': begins,
  'queryLog.keepDays': more,
  'queryLog.maxMegabytes': more,
  'audit.connections': begins,
  'queryLog.mode': (before, after) => logModes.indexOf(after) > logModes.indexOf(before),
  'metrics.listen': opensAnother,
  'metrics.collector': opensAnother,
  'dnstap.socket': opensAnother,
  /**
   * Under "race" every upstream sees every name; under "spread" alone none of them sees them all; under "ordered" the first one sees
   * them while it responds, and the others may be told who asks where that one is not.
   */
  strategy: (before, after) =>
    before !== after && (after === 'race' || before === 'spread' || before === 'ordered'),
  'connections.ticketHours': more,
  /** Less can be read later, or ("require") connections to upstreams without it fail, and under fallback names leave in cleartext. */
  'connections.postQuantum': (before, after) =>
    before !== after && !(before === 'off' && after === 'prefer'),
  'portal.detect': begins,
  'portal.minutes': more,
  'portal.probes': (before, after) =>
    after.some((probe) => !before.some((other) => isDeepStrictEqual(probe, other))),
  'cache.entries': never,
  'cache.serveStale': never,
  'cache.staleHours': never,
  'cache.hotSet': never,
  'connections.keepWarm': never,
  'connections.dialsPerHour': never,
  'connections.keepWarmOnBattery': never,
  'connections.fastOpen': never,
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

/** What would leave by a rung that is taken away leaves by one below it, if one stays. */
function leadsFurtherDown(before: readonly Rung[], after: readonly Rung[]): boolean {
  const height = (rung: Rung) => rungNames.indexOf(rung);
  return before.some(
    (gone) => !after.includes(gone) && after.some((stays) => height(stays) > height(gone)),
  );
}

/** One that learns who asks now comes before one that does not, because that one is behind a proxy or boxes. */
function isOvertaken(
  before: readonly UpstreamSetting[],
  after: readonly UpstreamSetting[],
): boolean {
  const placeBefore = new Map(before.map(({ id }, place) => [id, place]));
  const earlier = (one: UpstreamSetting) => placeBefore.get(one.id) ?? -1;
  return after.some(
    (hiding, place) =>
      hidesWhoAsks(hiding) &&
      after
        .slice(0, place)
        .some(
          (one) =>
            one.group === hiding.group && !hidesWhoAsks(one) && earlier(one) > earlier(hiding),
        ),
  );
}

function hidesWhoAsks({ proxy, transport }: UpstreamSetting): boolean {
  return proxy !== undefined || transport === 'encdns';
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

/** Whether one of `rules` has none beside it, of the same suffix, of which `holds` is true. */
function isUnmatched(
  rules: readonly BypassRule[],
  beside: readonly BypassRule[],
  holds: (other: BypassRule, rule: BypassRule) => boolean,
): boolean {
  const ofSuffix = Map.groupBy(beside, ({ suffix }) => suffix);
  return rules.some((rule) => !ofSuffix.get(rule.suffix)?.some((other) => holds(other, rule)));
}

/** Without its rule, an internal name goes to the upstream. */
export function losesRules(before: readonly BypassRule[], after: readonly BypassRule[]): boolean {
  const internal = before.filter(({ downgrade }) => downgrade !== true);
  return isUnmatched(internal, after, reachesAsFar);
}

function reachesAsFar(rule: BypassRule, old: BypassRule): boolean {
  return isAsWide(rule.when, old.when);
}

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

export function addsTo(before: readonly string[], after: readonly string[]): boolean {
  const known = new Set(before);
  return after.some((name) => !known.has(name));
}

function isLoopback(address: string): boolean {
  const ip = parseSocketAddress(address)?.ip ?? '';
  return ip.startsWith('127.') || ip === '::1';
}

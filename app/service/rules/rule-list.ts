/** The list of bypass rules with some added, removed or replaced. Pure; the settings decide whether it is valid. */
import { isDeepStrictEqual } from 'node:util';
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { BypassRule } from '../../contract/settings/bypass-rule.ts';
import { type Condition, conditionText, sameForEqual } from '../../contract/settings/condition.ts';
import { normalWord } from './rule-names.ts';

type Rules = readonly BypassRule[];

export interface RuleChanges {
  added: BypassRule[];
  changed: { before: BypassRule; after: BypassRule }[];
  removed: BypassRule[];
  unchanged: number;
}

export function putRule(rules: Rules, rule: BypassRule): BypassRule[] {
  const at = rules.findIndex((one) => isSame(one, rule));
  return at < 0
    ? [...rules, rule]
    : rules.with(at, { ...rule, suffix: rules[at]?.suffix ?? rule.suffix });
}

/** In the old rule's place; another rule for the same names and condition gives way. */
export function replaceRule(rules: Rules, old: RuleId, rule: BypassRule): Result<BypassRule[]> {
  const at = rules.findIndex((one) => isSame(one, old));
  if (at < 0) return unknownRule(rules, old.suffix);
  return succeed(rules.with(at, rule).filter((one, place) => place === at || !isSame(one, rule)));
}

/** Without a condition: the rule that has none, or else the only one for these names. */
export function removeRule(
  rules: Rules,
  suffix: string,
  when?: Condition,
): Result<{ rules: BypassRule[]; rule: BypassRule }> {
  const named = rules.filter((one) => normalWord(one.suffix) === normalWord(suffix));
  const only = when === undefined && named.length === 1 ? named[0] : undefined;
  const rule = named.find((one) => isSame(one, { suffix, ...(when && { when }) })) ?? only;
  if (rule !== undefined) return succeed({ rules: rules.filter((one) => one !== rule), rule });
  if (named.length > 0) return notOne(suffix, named, when);
  return unknownRule(rules, suffix);
}

function unknownRule(rules: Rules, suffix: string): Result<never> {
  const longer = rules.find((one) => normalWord(suffix).endsWith(`.${normalWord(one.suffix)}`));
  return fail(
    'unknown-rule',
    `there is no rule for ${JSON.stringify(suffix)}`,
    longer === undefined
      ? 'see: sotto rule list'
      : `its names fall under the rule for ${longer.suffix}`,
    'suffix',
  );
}

function notOne(suffix: string, named: Rules, when: Condition | undefined): Result<never> {
  const conditions = named.map((one) =>
    one.when === undefined ? 'without a condition' : `when ${conditionText(one.when)}`,
  );
  return fail(
    'unknown-rule',
    when === undefined
      ? `there are ${named.length} rules for ${JSON.stringify(suffix)}: ${conditions.join('; or ')}`
      : `the rule for ${JSON.stringify(suffix)} has another condition: ${conditions.join('; or ')}`,
    'name the condition of the rule that is meant; see: sotto rule list',
    'when',
  );
}

/** Of two rules in `given` for one suffix and one condition the later one counts. */
export function mergeRules(rules: Rules, given: Rules, mode: 'merge' | 'replace'): BypassRule[] {
  const wanted = new Set(given.map(idOf));
  const merged = mode === 'merge' ? [...rules] : rules.filter((rule) => wanted.has(idOf(rule)));
  const places = firstPlaces(merged);
  for (const rule of given) {
    const id = idOf(rule);
    const at = places.get(id) ?? merged.length;
    places.set(id, at);
    merged[at] = { ...rule, suffix: merged[at]?.suffix ?? rule.suffix };
  }
  return merged;
}

export function compareRules(before: Rules, after: Rules): RuleChanges {
  const places = firstPlaces(before);
  const left = new Set(after.map(idOf));
  const pairs = after.map((rule) => ({ rule, old: before[places.get(idOf(rule)) ?? -1] }));
  const isUnchanged = ({ rule, old }: (typeof pairs)[number]) =>
    old !== undefined && isDeepStrictEqual(old.to, rule.to) && old.downgrade === rule.downgrade;
  return {
    added: pairs.flatMap(({ rule, old }) => (old === undefined ? [rule] : [])),
    changed: pairs.flatMap((pair) =>
      pair.old === undefined || isUnchanged(pair) ? [] : [{ before: pair.old, after: pair.rule }],
    ),
    removed: before.filter((rule) => !left.has(idOf(rule))),
    unchanged: pairs.filter(isUnchanged).length,
  };
}

/** By id. Lists come from anybody and are long, so no rule is looked for among all others. */
function firstPlaces(rules: Rules): Map<string, number> {
  return new Map(rules.map((rule, place): [string, number] => [idOf(rule), place]).reverse());
}

type RuleId = Pick<BypassRule, 'suffix' | 'when'>;

function isSame(one: RuleId, other: RuleId): boolean {
  return idOf(one) === idOf(other);
}

/** The same names with another condition are another rule. */
function idOf({ suffix, when }: RuleId): string {
  return `${normalWord(suffix)} ${sameForEqual(when)}`;
}

/**
 * Which rules hold here and now: those of the settings with their resolvers, those learned from links, and those that standards
 * demand. Pure (docs/design/split-horizon.md).
 */
import { whyAnsweredHere } from '../../contract/dns/answered-here.ts';
import type { Fit } from '../../contract/engine-words.ts';
import { type BypassRule, ruleText } from '../../contract/settings/bypass-rule.ts';
import type { Condition } from '../../contract/settings/condition.ts';
import type { NameClaim, RestingRule, RuleInForce } from '../../contract/settings/rule-methods.ts';
import { readRuleNames, readRuleTarget } from '../../contract/settings/rule-words.ts';
import type { Settings } from '../../contract/settings/settings-shape.ts';
import { once } from '../base/once.ts';
import { fitHere, type PlaceAndTime } from '../conditions/condition-here.ts';
import { withPort } from '../network/ip-address.ts';
import type { NetworkIdentity } from '../network/network-identity.ts';
import type { NetworkSnapshot } from '../network/network-snapshot.ts';
import { normalSuffix, tooWide } from '../settings/domain-suffix.ts';
import { type Claimed, linkClaims, resolversOfLink } from './link-claims.ts';
import { gatherRules, type RuleList, wordsOf } from './rule-lists.ts';
import { type MatchedNames, matchedNames, tooWideNames, wordOf } from './rule-names.ts';

export interface HereRule extends RuleInForce {
  names: MatchedNames;
  /** many rules of the settings as one, which has no names beside theirs; null: it is a single one */
  list: RuleList | null;
  /** its users and units are judged by the engine; null: it holds for everybody */
  when: Condition | null;
  /** for the ledger: what the rule is, */
  reason: string;
  /** and who set it */
  who: string;
}

export interface RulesHere {
  rules: HereRule[];
  /** rules of the settings for another network or time */
  resting: (RestingRule & Pick<HereRule, 'names'>)[];
  /** the conditions of "refuseFor" that do not fail for network or time */
  refuseFor: Condition[];
  claims: NameClaim[];
}

/** A person's earlier answer to a claim. */
export interface ClaimAnswer {
  believe: boolean;
  who: string;
  /** given during this stay, so that it needs no proof of the network */
  justNow: boolean;
}

export interface RuleSurroundings {
  settings: Pick<Settings, 'bypass' | 'learnRules' | 'listen' | 'groups' | 'refuseFor'>;
  /** who set the setting "bypass" */
  who: string;
  here: PlaceAndTime;
  snapshot: NetworkSnapshot;
  identity: NetworkIdentity;
  /** an upstream has authenticated here, or the person has confirmed */
  confirmed: boolean;
  answerTo(claim: Claimed): ClaimAnswer | null;
  /** the system's own resolvers, for links without any */
  servers(): string[];
}

export function rulesHere(around: RuleSurroundings): RulesHere {
  const { lists, alone } = gatherRules(around.settings.bypass);
  const own = [
    ...lists.map((list) => ruleOfList(list, around)),
    ...alone.flatMap((rule) => ruleOfSettings(rule, around) ?? []),
  ];
  // also where a rule rests: another one must not get its names instead
  const written = wordsOf(around.settings.bypass);
  const learned = new Set<string>();
  const isTaken = (suffix: string) => written.has(suffix) || learned.has(suffix);
  const isResting = ({ fit }: { fit: Fit }) => fit !== 'yes';
  const rules = own.flatMap((one) => (isResting(one) ? [] : [one.rule]));
  const resting = own
    .filter(isResting)
    .flatMap(({ rule: { rule, names, list }, fit }) =>
      (list === null ? [{ rule, names }] : rulesIn(list)).map((one) => ({ ...one, fit })),
    );
  const refuseFor = around.settings.refuseFor.filter((one) => fitHere(one, around.here) !== 'no');
  const claims = linkClaims(around.snapshot, around.settings.listen).map((claim): NameClaim => {
    const state = stateOf(claim, isTaken, around);
    if (state === 'believed') {
      learned.add(claim.suffix);
      rules.push(learnedRule(claim, around));
    }
    return { ...claim, state };
  });
  const discovery = isTaken(nat64) ? null : nat64Discovery(around);
  if (discovery !== null) rules.push(discovery);
  return { rules: rules.toSorted(widerPrefixFirst), resting, refuseFor, claims };
}

const rulesIn = once((list: RuleList) => {
  const words = list.words.split('\n');
  return list.rules.map(({ suffix }, position) => {
    const names = readRuleNames(suffix) ?? { kind: 'single-label' as const };
    return { rule: words[position] ?? '', names: matchedNames(names) };
  });
});

const noNames: MatchedNames = { below: [], alone: [], singleLabels: false };

function ruleOfList(list: RuleList, around: RuleSurroundings): { rule: HereRule; fit: Fit } {
  const { word, rules, to: given, when } = list;
  const { to, where } = resolversOf(given, around);
  return {
    rule: {
      rule: word,
      names: noNames,
      list,
      to,
      class: 'bypass',
      origin: { from: 'settings' },
      when,
      reason: `${rules.length} bypass rules to ${where}`,
      who: around.who,
    },
    fit: fitOf(when, around),
  };
}

/** A rule loosens, so it holds only where its network is certain. */
function ruleOfSettings(
  rule: BypassRule,
  around: RuleSurroundings,
): { rule: HereRule; fit: Fit } | null {
  const names = readRuleNames(rule.suffix);
  if (names === null) return null;
  const { to, where } = resolversOf(rule.to, around);
  const wide = tooWideNames(names);
  const when = rule.when ?? null;
  const word = wordOf(names);
  return {
    rule: {
      rule: ruleText({ ...rule, suffix: word }),
      names: matchedNames(names),
      list: null,
      to,
      class: wide === null ? 'bypass' : 'policy',
      origin: { from: 'settings' },
      when,
      reason: wide === null ? `bypass rule to ${where}` : `a rule for ${wide}, to ${where}`,
      who: around.who,
    },
    fit: fitOf(when, around),
  };
}

function fitOf(when: Condition | null, { here }: RuleSurroundings): Fit {
  return when === null ? 'yes' : fitHere(when, here);
}

/** `where`: for people, what was given and what it means here. */
function resolversOf(
  targets: readonly string[],
  around: RuleSurroundings,
): { to: string[]; where: string } {
  const to = [...new Set(targets.flatMap((target) => resolversAt(target, around)))];
  const given = targets.join(', ');
  const where = targets.every((target) => readRuleTarget(target).kind === 'address')
    ? given
    : `${given} (${to.join(', ')})`;
  return { to, where };
}

function resolversAt(target: string, around: RuleSurroundings): string[] {
  const to = readRuleTarget(target);
  switch (to.kind) {
    case 'address':
      return [withPort(to.address, 53)];
    case 'network':
      return networkResolvers(around);
    case 'link':
      return resolversOfLink(around.snapshot, to.link, around.settings.listen);
  }
}

/** The resolvers of the links that lead out; where a link has none, those of the system. */
function networkResolvers({ snapshot, identity, settings, servers }: RuleSurroundings): string[] {
  const ways = new Set(identity.ways.map((way) => way.interface));
  const told = [...ways].flatMap((link) => resolversOfLink(snapshot, link, settings.listen));
  if (told.length > 0) return [...new Set(told)];
  return ways.size === 0 && snapshot.interfaces.length > 0 ? [] : servers();
}

function stateOf(
  claim: Claimed,
  isTaken: (suffix: string) => boolean,
  around: RuleSurroundings,
): NameClaim['state'] {
  return stateOfSuffix(claim.suffix, isTaken, around.settings) ?? stateByAnswer(claim, around);
}

/** Null: it may be learned. */
function stateOfSuffix(
  suffix: string,
  isTaken: (suffix: string) => boolean,
  settings: RuleSurroundings['settings'],
): NameClaim['state'] | null {
  if (whyAnsweredHere(suffix) !== null) return 'answered-here';
  if (tooWide(suffix) !== null || readRuleNames(suffix) === null) return 'too-wide';
  if (isTaken(suffix) || touchesGroup(suffix, settings.groups)) return 'overruled';
  return settings.learnRules === 'off' ? 'ignored' : null;
}

function stateByAnswer(
  claim: Claimed,
  { settings, identity, confirmed, answerTo }: RuleSurroundings,
): NameClaim['state'] {
  const answer = answerTo(claim);
  if (answer?.believe === false) return 'refused';
  if (claim.vpn) return settings.learnRules === 'vpn' || answer !== null ? 'believed' : 'open';
  if (answer === null) return 'open';
  // An attacker who forges a network's identity gets its remembered answers, so a looser one waits until an upstream has
  // authenticated.
  return (confirmed || answer.justNow) && identity.settled ? 'believed' : 'unconfirmed';
}

/** The person has declared names of a group private, so no learned rule sends them, or a part of them, in cleartext. */
function touchesGroup(suffix: string, groups: Settings['groups']): boolean {
  const isWithin = (one: string, other: string) => one === other || one.endsWith(`.${other}`);
  return Object.values(groups)
    .flatMap(({ names }) => names.map(normalSuffix))
    .some((name) => isWithin(name, suffix) || isWithin(suffix, name));
}

function learnedRule(claim: Claimed, around: RuleSurroundings): HereRule {
  const { suffix, link, by, to } = claim;
  const teller = by === 'resolved' ? 'systemd-resolved' : 'NetworkManager';
  return {
    rule: suffix,
    names: matchedNames({ kind: 'below', name: suffix }),
    list: null,
    to,
    class: 'bypass',
    origin: { from: 'link', link, by },
    when: null,
    reason: `learned from link ${link} by ${teller}, to ${to.join(', ')}`,
    who: around.answerTo(claim)?.who ?? `the VPN link ${link}`,
  };
}

const nat64 = 'ipv4only.arpa';

/** RFC 8880 section 7.1: the network's own resolver knows its NAT64; a network with IPv4 needs none. */
function nat64Discovery(around: RuleSurroundings): HereRule | null {
  const { ways } = around.identity;
  if (ways.length === 0 || ways.some(({ family }) => family === 4)) return null;
  const to = networkResolvers(around);
  if (to.length === 0) return null;
  return {
    rule: nat64,
    names: matchedNames({ kind: 'below', name: nat64 }),
    list: null,
    to,
    class: 'bypass',
    origin: { from: 'standard', text: 'RFC 8880' },
    when: null,
    reason: `the network's own resolver says whether there is a NAT64, to ${to.join(', ')}`,
    who: 'RFC 8880',
  };
}

/**
 * Of two rules for one zone the engine uses the later that holds. So the narrower prefix has to come last, and of two rules for
 * the same names the one with a condition.
 */
function widerPrefixFirst(one: HereRule, other: HereRule): number {
  return lengthOf(one) - lengthOf(other) || Number(one.when !== null) - Number(other.when !== null);
}

function lengthOf({ rule }: HereRule): number {
  return Number(/^[^ ]*\/(\d+)(?: |$)/.exec(rule)?.[1] ?? -1);
}

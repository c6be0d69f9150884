/** Bypass rules: the list, changes of it, and what would happen to a name. */

import { z } from 'zod';
import { typedName } from '../dns/typed-name.ts';
import { conditionals, destinations, fits, keptKinds } from '../engine-words.ts';
import { clearClass } from '../query-log/query-event.ts';
import { bypassRule, ruleWord } from './bypass-rule.ts';
import { condition, conditionUnit, conditionUser } from './condition.ts';
import { downgradePolicy } from './downgrade-policy.ts';
import { settingChange } from './settings-methods.ts';

const nothing = z.strictObject({});
const recordType = z.string().min(1).max(20);

/** The origin of a rule. */
export const ruleOrigin = z.discriminatedUnion('from', [
  z.strictObject({ from: z.literal('settings') }),
  /** learned: the link, and the source of its domains */
  z.strictObject({
    from: z.literal('link'),
    link: z.string(),
    by: z.enum(['resolved', 'network-manager']),
  }),
  /** a special name that belongs to the network: "RFC 8880" */
  z.strictObject({ from: z.literal('standard'), text: z.string() }),
]);

/** A rule as the engine has it here and now. */
export const ruleInForce = z.strictObject({
  /** its name in ledger and log */
  rule: z.string(),
  /** ip:port each; empty: they are unknown now, so its names are refused */
  to: z.array(z.string()),
  /** policy: it is a downgrade */
  class: z.enum(['bypass', 'policy']),
  origin: ruleOrigin,
});

export const claimStates = [
  /** its rule is in force */
  'believed',
  /** a person has not answered yet */
  'open',
  /** a person said no, here */
  'refused',
  /** remembered as believed, and waits until an upstream has authenticated here */
  'unconfirmed',
  /** the root or a public suffix: never learned */
  'too-wide',
  /** Sotto answers these names itself, whoever claims them */
  'answered-here',
  /** the settings have a rule of their own for it */
  'overruled',
  /** "learnRules" is off */
  'ignored',
] as const;

/** A domain that a link claims. */
export const nameClaim = z.strictObject({
  /** normal: lower case, no final dot; empty: the root */
  suffix: z.string(),
  link: z.string(),
  by: z.enum(['resolved', 'network-manager']),
  /** of a VPN link: a tunnel, PPP, or what NetworkManager says is one */
  vpn: z.boolean(),
  /** ip:port each, of that link */
  to: z.array(z.string()),
  state: z.enum(claimStates),
});

/** What the engine's own policy decides about a query now, and its next step. */
export const explanation = z.strictObject({
  /** presentation form, lower case */
  name: z.string(),
  type: z.string(),
  /**
   * local: answered on this machine. bypass: in cleartext, to the rule's resolvers. direct: in cleartext, to the system's
   * resolvers, because Sotto is off or paused. portal: in cleartext, to the network's resolvers, for a login. forward: to the
   * upstreams of its group.
   */
  verdict: z.enum(destinations),
  /** the special-use name, or the rule's word; empty without one */
  rule: z.string(),
  /** bypass: the origin of the rule; else null */
  origin: ruleOrigin.nullable(),
  /** the sentence that goes out with the extended error; may be empty */
  reason: z.string(),
  /** local: response code; else null */
  rcode: z.string().nullable(),
  /** where the query would go: ip:port of plain resolvers, or ids of upstreams in order of preference */
  servers: z.array(z.string()),
  /** of a name that is forwarded; null where no group gets it */
  group: z
    .strictObject({
      /** empty: the default group */
      id: z.string(),
      /** null where only the engine was asked */
      policy: downgradePolicy.nullable(),
    })
    .nullable(),
  /** the class under which it would leave in cleartext; "none": it would not */
  clear: clearClass,
  /** the cache has a response that would be used: fresh, denied (a name above does not exist) or failed (a moment ago) */
  cached: z.enum(keptKinds).nullable(),
  /** the query never leaves in cleartext, except by bypass rules that are no downgrade: "refuseFor" */
  privateOnly: z.boolean(),
  /** conditions that were judged for the asker, and rules that network or time keep out of force */
  conditions: z.array(
    z.strictObject({
      of: z.enum(conditionals),
      /** the rule's word, the group's id (empty: the default group), the position in "refuseFor" */
      name: z.string(),
      fit: z.enum(fits),
    }),
  ),
  /** all of this in one sentence */
  sentence: z.string(),
});

/** A rule of the settings that does not hold here and now. */
export const restingRule = z.strictObject({
  rule: z.string(),
  /** unknown: it seems to be its network, and no upstream has authenticated here yet */
  fit: z.enum(fits),
});

const listedRules = z.strictObject({
  /** the rules of the settings */
  rules: z.array(bypassRule),
  /** those whose hours or networks are others */
  resting: z.array(restingRule),
  /** all rules in force here and now, learned ones included */
  inForce: z.array(ruleInForce),
  /** what links claim, and the state of each claim */
  claims: z.array(nameClaim),
  locked: z.boolean(),
  lockedBy: z.string().nullable(),
  reason: z.string().nullable(),
});

const changedRule = z.strictObject({ rule: bypassRule, change: settingChange });

const ruleFormat = z.enum(['json', 'text']);

export const ruleMethods = {
  list: { params: nothing, result: listedRules },
  explain: {
    params: z.strictObject({
      name: typedName,
      type: recordType.optional(),
      /** who would ask; without them, nobody knows */
      user: conditionUser.optional(),
      unit: conditionUnit.optional(),
    }),
    result: explanation,
  },
  /**
   * Where the word has a rule with the same condition already, its resolvers are replaced. `replaces`: the rule that this one
   * takes the place of, in one change.
   */
  add: {
    params: bypassRule.extend({
      to: bypassRule.shape.to.max(16),
      replaces: bypassRule.pick({ suffix: true, when: true }).optional(),
    }),
    result: changedRule,
  },
  /** Without a condition: the rule that has none, or else the only one for these names. */
  remove: {
    params: z.strictObject({ suffix: ruleWord, when: condition.optional() }),
    result: changedRule,
  },
  /** Whether to believe a claim; remembered for the network, or for a VPN's link. */
  answer: {
    params: z.strictObject({
      suffix: typedName.max(254),
      link: z.string().min(1).max(64),
      believe: z.boolean(),
    }),
    result: nameClaim,
  },
  export: {
    params: z.strictObject({ format: ruleFormat }),
    result: z.strictObject({ text: z.string(), rules: z.int().nonnegative() }),
  },
  import: {
    params: z.strictObject({
      /** in either format, which is recognised by its beginning */
      text: z.string().max(512 * 1024),
      /** replace: rules that are not in the text are removed */
      mode: z.enum(['merge', 'replace']),
      /** only report what would change */
      dryRun: z.boolean(),
    }),
    result: z.strictObject({
      added: z.array(bypassRule),
      /** the same suffix with other resolvers */
      changed: z.array(z.strictObject({ before: bypassRule, after: bypassRule })),
      removed: z.array(bypassRule),
      unchanged: z.int().nonnegative(),
      /** null: nothing changed, because the text changes nothing, or a dry run was wanted */
      change: settingChange.nullable(),
    }),
  },
};

export type RuleOrigin = z.infer<typeof ruleOrigin>;
export type RestingRule = z.infer<typeof restingRule>;
export type RuleInForce = z.infer<typeof ruleInForce>;
export type NameClaim = z.infer<typeof nameClaim>;
export type Explanation = z.infer<typeof explanation>;
export type RuleMethod = keyof typeof ruleMethods;

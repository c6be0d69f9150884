/** Rules for names: those that exist, changes of them, and what would happen to a name. */
import { z } from 'zod';
import { destinations, keptKinds } from '../engine-words.ts';
import { clearClass } from '../query-log/query-event.ts';
import { bypassRule, ruleWord } from './bypass-rule.ts';
import { downgradePolicy } from './downgrade-policy.ts';
import { settingChange } from './settings-methods.ts';

const nothing = z.strictObject({});
const domainName = z.string().min(1).max(1024);
const recordType = z.string().min(1).max(20);

/** Whose word a rule is. */
export const ruleOrigin = z.discriminatedUnion('from', [
  z.strictObject({ from: z.literal('settings') }),
  /** learned: the link, and who told its domains */
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
  /** as ledger and log name it */
  rule: z.string(),
  /** ip:port each; empty: nobody knows them now, so its names are refused */
  to: z.array(z.string()),
  /** policy: it is a downgrade */
  class: z.enum(['bypass', 'policy']),
  origin: ruleOrigin,
});

export const claimStates = [
  /** its rule is in force */
  'believed',
  /** a person is asked */
  'open',
  /** a person said no, here */
  'refused',
  /** remembered as believed, and waits until an upstream has authenticated here */
  'unconfirmed',
  /** the root or a public suffix: never learned */
  'too-wide',
  /** the settings have a rule of their own for it */
  'overruled',
  /** "learnRules" is off */
  'ignored',
] as const;

/** A domain that a link says is its own. */
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

/** What the engine's own policy says of a question now, and what it would do next. */
export const explanation = z.strictObject({
  /** presentation form, lower case */
  name: z.string(),
  type: z.string(),
  /**
   * local: answered on this machine. bypass: in clear, to the rule's resolvers. direct: in clear, to the system's resolvers,
   * because Sotto is off or paused. portal: in clear, to the network's resolvers, for a login. forward: to the upstreams of its group.
   */
  verdict: z.enum(destinations),
  /** the special-use name, or the rule's word; empty without one */
  rule: z.string(),
  /** bypass: whose rule it is; else null */
  origin: ruleOrigin.nullable(),
  /** the sentence that goes out with the extended error; may be empty */
  reason: z.string(),
  /** local: response code; else null */
  rcode: z.string().nullable(),
  /** who would be asked: ip:port of plain resolvers, or ids of upstreams in order of preference */
  servers: z.array(z.string()),
  /** of a name that is forwarded; null where none is asked */
  group: z
    .strictObject({
      /** empty: the default group */
      id: z.string(),
      /** null where only the engine was asked */
      policy: downgradePolicy.nullable(),
    })
    .nullable(),
  /** it would leave in clear, under this class; "none": it would not */
  clear: clearClass,
  /** an answer is kept that would be given: fresh, denied (a name above does not exist) or failed (a moment ago) */
  cached: z.enum(keptKinds).nullable(),
  /** all that in one sentence */
  sentence: z.string(),
});

const listedRules = z.strictObject({
  /** of the settings */
  rules: z.array(bypassRule),
  /** all of them as they are here and now, learned ones included */
  inForce: z.array(ruleInForce),
  /** what links say is theirs, whatever came of it */
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
    params: z.strictObject({ name: domainName, type: recordType.optional() }),
    result: explanation,
  },
  /** The word has a rule already: its resolvers are replaced. */
  add: {
    params: bypassRule.extend({ to: bypassRule.shape.to.max(16) }),
    result: changedRule,
  },
  remove: { params: z.strictObject({ suffix: ruleWord }), result: changedRule },
  /** Whether to believe a claim; remembered for the network, or of a VPN for its link. */
  answer: {
    params: z.strictObject({
      suffix: z.string().min(1).max(254),
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
      /** in either format; which one is seen from its beginning */
      text: z.string().max(512 * 1024),
      /** replace: rules that are not in the text go */
      mode: z.enum(['merge', 'replace']),
      /** only say what would change */
      dryRun: z.boolean(),
    }),
    result: z.strictObject({
      added: z.array(bypassRule),
      /** the same suffix with other resolvers */
      changed: z.array(z.strictObject({ before: bypassRule, after: bypassRule })),
      removed: z.array(bypassRule),
      unchanged: z.int().nonnegative(),
      /** null: nothing was changed, because nothing was to be or none was wanted */
      change: settingChange.nullable(),
    }),
  },
};

export type RuleOrigin = z.infer<typeof ruleOrigin>;
export type RuleInForce = z.infer<typeof ruleInForce>;
export type NameClaim = z.infer<typeof nameClaim>;
export type Explanation = z.infer<typeof explanation>;
export type RuleMethod = keyof typeof ruleMethods;

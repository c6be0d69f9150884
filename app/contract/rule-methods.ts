/** Rules for names: those that exist, changes of them, and what would happen to a name. */
import { z } from 'zod';
import { downgradePolicy } from './downgrade-policy.ts';
import { clearClass } from './query-event.ts';
import { settingChange } from './settings-methods.ts';
import { bypassRule, domainSuffix, serverAddress } from './upstream-settings.ts';

const nothing = z.strictObject({});
const domainName = z.string().min(1).max(1024);
const recordType = z.string().min(1).max(20);

/** What the engine's own policy says of a question now, and what it would do next. */
export const explanation = z.strictObject({
  /** presentation form, lower case */
  name: z.string(),
  type: z.string(),
  /**
   * local: answered on this machine. bypass: in clear, to the rule's resolvers. direct: in clear, to the system's resolvers,
   * because Sotto is off or paused. forward: to the upstreams of its group.
   */
  verdict: z.enum(['local', 'bypass', 'direct', 'forward']),
  /** the special-use name, or the rule's suffix; empty without one */
  rule: z.string(),
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
  cached: z.enum(['fresh', 'denied', 'failed']).nullable(),
  /** all that in one sentence */
  sentence: z.string(),
});

const listedRules = z.strictObject({
  rules: z.array(bypassRule),
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
  /** The suffix has a rule already: its resolvers are replaced. */
  add: {
    params: z.strictObject({ suffix: domainSuffix, to: z.array(serverAddress).min(1).max(16) }),
    result: changedRule,
  },
  remove: { params: z.strictObject({ suffix: domainSuffix }), result: changedRule },
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

export type Explanation = z.infer<typeof explanation>;
export type RuleMethod = keyof typeof ruleMethods;

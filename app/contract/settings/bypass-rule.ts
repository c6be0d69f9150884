/** One bypass rule, as it is written in settings.json: which names go to which resolvers (docs/design/split-horizon.md). */
import { z } from 'zod';
import { whyAnsweredHere } from '../dns/answered-here.ts';
import { isDomainName } from '../dns/domain-name.ts';
import { whyNoResolver } from '../dns/resolver-address.ts';
import { condition, conditionText } from './condition.ts';
import { asciiWord, isRuleTarget, readRuleNames, whyNeverUsed, whyNoNames } from './rule-words.ts';

export const ruleWord = z
  .string()
  .overwrite(asciiWord)
  .refine((word) => readRuleNames(word) !== null, {
    error: (issue) => whyNoNames(String(issue.input)),
  })
  .meta({
    description:
      'which names: a domain with its subdomains; "=name" for it alone; "*" for single labels; a prefix such as "10.0.0.0/8" for the reverse names of its addresses',
    examples: ['corp.example', '=www.corp.example', '*', '10.0.0.0/8'],
  });

/** They are tried one after the other. */
const mostTargets = 32;

const ruleTarget = z
  .string()
  .refine(isRuleTarget, {
    error: (issue) =>
      whyNoTarget(issue.input) ??
      `${JSON.stringify(issue.input)} is not an IP address with an optional port, such as "192.0.2.1:53" or "[2001:db8::1]:53", nor "network" or a link such as "link:tun0"`,
  })
  .meta({
    description:
      'a plain resolver: IP address with an optional port, "network" for those of the network we are on, "link:tun0" for those of a link',
    examples: ['192.0.2.53', 'network', 'link:tun0'],
  });

function whyNoTarget(input: unknown): string | null {
  const why = whyNoResolver(String(input));
  return why && `no resolver can be at ${JSON.stringify(input)}: ${why}`;
}

/** Names that are answered here before any rule is asked: to be told, and not to be counted as an exception. */
const usedWord = ruleWord.refine((word) => whyNeverUsed(word) === null, {
  error: ({ input }) =>
    `${JSON.stringify(input)} can never be used in a rule, because Sotto answers these names itself: ${whyNeverUsed(String(input))}`,
});

export const bypassRule = z.strictObject({
  suffix: usedWord,
  to: z
    .array(ruleTarget)
    .min(1)
    .max(mostTargets)
    .meta({ description: 'plain resolvers for these names, tried in order' }),
  downgrade: z.literal(true).optional().meta({
    description:
      'needed for the root, a public suffix or a very wide prefix: such a rule is a downgrade, and counted as one',
  }),
  when: condition.optional().meta({
    description:
      'the rule holds only where all of this certainly fits; elsewhere it does not exist. Without it, the rule holds always',
  }),
});

export type BypassRule = z.infer<typeof bypassRule>;

/**
 * Valid rules that say nothing but names and resolvers, as those of long lists do: they are found out in a quarter of the time that
 * the schema takes. Others may be valid as well, which the schema decides.
 */
export function arePlainRules(value: unknown): value is BypassRule[] {
  return Array.isArray(value) && value.every(isPlainRule);
}

function isPlainRule(rule: unknown): boolean {
  if (typeof rule !== 'object' || rule === null) return false;
  for (const key in rule) if (key !== 'suffix' && key !== 'to') return false;
  const { suffix, to } = rule as Record<string, unknown>;
  if (typeof suffix !== 'string' || !isDomainName(suffix)) return false;
  return whyAnsweredHere(suffix) === null && areTargets(to);
}

function areTargets(to: unknown): boolean {
  if (!Array.isArray(to) || to.length === 0 || to.length > mostTargets) return false;
  return to.every((target) => typeof target === 'string' && isRuleTarget(target));
}

/** What tells a rule from all others. */
export function nameOfRule({ suffix, when }: BypassRule): Pick<BypassRule, 'suffix' | 'when'> {
  return { suffix, ...(when === undefined ? {} : { when }) };
}

/** Whether ledger and query log mean this rule: they write suffixes in lower case and without the final dot. */
export function isRuleOf(word: string, rule: BypassRule): boolean {
  const suffix = rule.suffix.toLowerCase().replace(/(.)\.$/, '$1');
  return word === ruleText({ ...rule, suffix });
}

/** "corp.example when user backup": the names as they are written, and the condition. */
export function ruleText({ suffix, when }: Pick<BypassRule, 'suffix' | 'when'>): string {
  return when === undefined ? suffix : `${suffix} when ${conditionText(when)}`;
}

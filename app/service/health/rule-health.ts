/**
 * What a person must know of rules and their conditions: names that wait for an answer, rules that take too much along, accounts
 * that nobody knows. Pure.
 */

import { type Said, say } from '../../contract/sentences/sentence.ts';
import type { HealthIssueCode } from '../../contract/status/health-issue.ts';
import type { NumberOf } from '../conditions/condition-here.ts';
import type { RulesHere } from '../rules/rules-here.ts';

type RuleIssueCode = Extract<HealthIssueCode, 'names-claimed' | 'wide-rule' | 'account-unknown'>;

/** Code to subject to detail. */
export function ruleHealth(
  { rules, claims }: RulesHere,
  accounts: readonly string[],
  numberOf: NumberOf,
): Map<RuleIssueCode, Map<string, Said[]>> {
  const unknown = accounts.filter((account) => numberOf(account) === null);
  const open = claims.filter(({ state }) => state === 'open');
  const wide = rules.filter((rule) => rule.class === 'policy');
  return new Map([
    [
      'names-claimed',
      new Map(open.map(({ suffix, link }) => [suffix, [say('name-claimed', { suffix, link })]])),
    ],
    [
      'wide-rule',
      new Map(wide.map(({ rule, reason }) => [rule, [say('rule-wide', { rule, reason })]])),
    ],
    [
      'account-unknown',
      new Map(unknown.map((account) => [account, [say('account-named', { account })]])),
    ],
  ]);
}

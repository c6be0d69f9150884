/** What a person must know of rules: names that wait for an answer, and rules that take too much along. Pure. */

import { type Said, say } from '../../contract/sentences/sentence.ts';
import type { HealthIssueCode } from '../../contract/status/health-issue.ts';
import type { RulesHere } from '../rules/rules-here.ts';

type RuleIssueCode = Extract<HealthIssueCode, 'names-claimed' | 'wide-rule'>;

/** Code to subject to detail. */
export function ruleHealth({ rules, claims }: RulesHere): Map<RuleIssueCode, Map<string, Said[]>> {
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
  ]);
}

/**
 * Bypass rules that differ in their names alone, gathered into lists: a lease, a ledger entry and the work of each second are then for
 * a list, and a fleet's hundred thousand names cost what a few rules cost (docs/decisions/0068-lists-of-rules.md). Pure.
 */
import { createHash } from 'node:crypto';
import { listWord } from '../../contract/protection/list-word.ts';
import type { BypassRule } from '../../contract/settings/bypass-rule.ts';
import { type Condition, conditionText } from '../../contract/settings/condition.ts';
import { readRuleNames } from '../../contract/settings/rule-words.ts';
import { once } from '../base/once.ts';
import { normalWord, tooWideNames } from './rule-names.ts';

export interface RuleList {
  /** in ledger and lease; other names, resolvers or conditions make another word */
  word: string;
  /** a line for each rule, as the engine reads them; the same with the end of its name in ledger and query log */
  names: string;
  words: string;
  /** the end of each rule's name in the query log */
  after: string;
  rules: readonly BypassRule[];
  to: readonly string[];
  when: Condition | null;
}

interface Gathered {
  lists: readonly RuleList[];
  /** the others */
  alone: readonly BypassRule[];
}

/** More rules than a person counts one by one, and far fewer than the engine has leases. */
const mostAlone = 64;

export const gatherRules = once((bypass: readonly BypassRule[]): Gathered => {
  if (bypass.length <= mostAlone) return { lists: [], alone: bypass };
  const wide = wideRules(bypass);
  const alike = Map.groupBy(bypass, (rule, position) =>
    mayBeListed(rule) && !wide.has(position) ? likeness(rule) : null,
  );
  const large = [...alike].flatMap(([key, rules]) =>
    key !== null && rules.length > mostAlone ? [rules] : [],
  );
  const listed = new Set(large.flat());
  return {
    lists: large.map(listOf),
    alone: bypass.filter((rule) => !listed.has(rule)),
  };
});

/** The words of all rules, also of those in lists. */
export const wordsOf = once(
  (bypass: readonly BypassRule[]): ReadonlySet<string> =>
    new Set(bypass.map(({ suffix }) => normalWord(suffix))),
);

/** Which of them take too much along, by position. */
export const wideRules = once((bypass: readonly BypassRule[]) => {
  const wide = new Map<number, NonNullable<ReturnType<typeof tooWideNames>>>();
  const narrow = new Set<string>();
  for (const [position, { suffix }] of bypass.entries()) {
    const width = narrowBefore.has(suffix) ? null : widthOf(suffix);
    if (width === null) narrow.add(suffix);
    else wide.set(position, width);
  }
  if (bypass.length > mostAlone) narrowBefore = narrow;
  return wide;
});

/** The next version of a list has most of its names again. */
let narrowBefore: ReadonlySet<string> = new Set();

function widthOf(suffix: string): ReturnType<typeof tooWideNames> {
  const names = readRuleNames(suffix);
  return names === null ? null : tooWideNames(names);
}

/** Zones and names; and it must not matter who asks. */
function mayBeListed({ suffix, when }: BypassRule): boolean {
  const isName = !suffix.includes('/') && suffix !== '*' && suffix !== '.';
  return isName && when?.user === undefined && when?.unit === undefined;
}

function likeness({ to, when }: BypassRule): string {
  const servers = to.length === 1 ? (to[0] as string) : to.join(' ');
  return `${servers}${afterName(when)}`;
}

function listOf(rules: readonly BypassRule[]): RuleList {
  const { to = [], when } = rules[0] ?? {};
  const names = rules.map(({ suffix }) => normalWord(suffix)).join('\n');
  const after = afterName(when);
  const digest = createHash('sha256')
    .update(`${to.join(' ')}${after}\n${names}`)
    .digest('hex');
  const words = after === '' ? names : `${names.replaceAll('\n', `${after}\n`)}${after}`;
  return {
    word: listWord(rules.length, digest.slice(0, 16)),
    names,
    words,
    after,
    rules,
    to,
    when: when ?? null,
  };
}

function afterName(when: Condition | undefined): string {
  return when === undefined ? '' : ` when ${textOf(when)}`;
}

/** Rules that a profile binds to a network share one condition. */
const textOf = once(conditionText);

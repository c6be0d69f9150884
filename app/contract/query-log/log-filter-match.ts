/** Whether an event fits a filter: pure, for live events. SQL finds stored ones by the same rules. */

import { isWithin } from '../dns/ip-prefix.ts';
import { matchesGlob } from '../dns/name-pattern.ts';
import { parseDuration } from '../text/duration.ts';
import { programName } from './asker-name.ts';
import type { FilterField, FilterTerm, LogFilter } from './log-filter.ts';
import { timeOf } from './log-filter-values.ts';
import { asciiLower, isInternational, isPattern } from './log-filter-words.ts';
import type { QueryEvent } from './query-event.ts';

export interface MatchSurroundings {
  /** unix milliseconds: what durations count back from */
  now: number;
  /** Throws for a text that is no expression. */
  expression(source: string): (name: string) => boolean;
  /** What a name with "xn--" labels stands for. */
  letters(name: string): string;
}

type Test = (event: QueryEvent) => boolean;

export function matchesFilter(filter: LogFilter, around: MatchSurroundings): Test {
  const tests = filter.map((term) => testOf(term, around));
  return (event) => tests.every((test) => test(event));
}

function testOf({ field, negated, values }: FilterTerm, around: MatchSurroundings): Test {
  if (field === 'text' || field === 'name') {
    const test = nameTest({ field, values }, around);
    return ({ name }) => test(name) !== negated;
  }
  const wanted = values.map(({ text }) => fieldTests[field](text, around.now));
  return (event) => wanted.some((one) => one(event)) !== negated;
}

/** Names alone: a search applies this test to every stored name. */
export function nameTest(
  { field, values }: Pick<FilterTerm, 'field' | 'values'>,
  { expression, letters }: Pick<MatchSurroundings, 'expression' | 'letters'>,
): (name: string) => boolean {
  function testOfValue({ text, regex }: FilterTerm['values'][number]): (name: string) => boolean {
    if (regex) return expression(text);
    if (isPattern(text)) return (name) => matchesGlob(text, name);
    return field === 'name' ? (name) => name === text : (name) => name.includes(text);
  }
  const tests = values.map((value) => {
    const test = testOfValue(value);
    return isInternational(value.text) ? (name: string) => test(letters(name)) : test;
  });
  return (name) => tests.some((test) => test(name));
}

/** An address, a pattern for it, or a prefix that holds it. */
export function matchesClient(text: string, address: string): boolean {
  return text.includes('/') ? isWithin(text, address) : matchesGlob(text, asciiLower(address));
}

const fieldTests: Record<
  Exclude<FilterField, 'text' | 'name'>,
  (text: string, now: number) => Test
> = {
  type: (text) => (event) => event.type === text,
  outcome: (text) => (event) => event.outcome === text,
  transport: (text) => (event) => event.transport === text,
  cost: (text) => (event) => event.cost === text,
  clear: (text) => (event) => event.clear === text,
  rcode: (text) => (event) => event.rcode === text,
  upstream: (text) => (event) => matchesGlob(text, asciiLower(event.upstream)),
  rule: (text) => (event) => matchesGlob(text, asciiLower(event.rule)),
  client: (text) => (event) => matchesClient(text, event.client.address),
  program: (text) => (event) => matchesGlob(text, asciiLower(programName(event.asker))),
  unit: (text) => (event) => matchesGlob(text, asciiLower(event.asker.unit)),
  container: (text) => (event) => matchesGlob(text, asciiLower(event.asker.container)),
  executable: (text) => (event) => matchesGlob(text, asciiLower(event.asker.executable)),
  user: (text) => (event) => matchesGlob(text, asciiLower(event.asker.user)),
  slower: (text) => {
    const limit = slowerThan(text);
    return ({ ms }) => Math.round(ms * 1000) > limit;
  },
  since: (text, now) => {
    const limit = timeOf(text, now);
    return ({ at }) => at >= limit;
  },
  until: (text, now) => {
    const limit = timeOf(text, now);
    return ({ at }) => at < limit;
  },
};

/** In whole microseconds, as they are stored. */
export function slowerThan(text: string): number {
  return Math.round((parseDuration(text) ?? 0) * 1000);
}

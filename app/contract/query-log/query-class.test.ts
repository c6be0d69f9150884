import { expect, test } from 'vitest';
import { clearClasses, outcomes } from '../engine-words.ts';
import { matchesFilter } from './log-filter-match.ts';
import { readLogFilter } from './log-filter-reading.ts';
import { classFilters, classOf, queryClasses } from './query-class.ts';
import type { QueryEvent } from './query-event.ts';

const tests = queryClasses.map((name) => {
  const read = readLogFilter(classFilters[name]);
  if (!read.ok) throw new Error(read.problem.message);
  return {
    name,
    fits: matchesFilter(read.terms, {
      now: 0,
      expression: () => () => false,
      letters: (name) => name,
    }),
  };
});

test.each(outcomes.flatMap((outcome) => clearClasses.map((clear) => [outcome, clear] as const)))(
  '%s, cleartext %s: is found by the filter of its class and by no other',
  (outcome, clear) => {
    const event = { outcome, clear } as QueryEvent;
    const found = tests.filter(({ fits }) => fits(event)).map(({ name }) => name);
    expect(found).toEqual([classOf(event)]);
  },
);

import { expect, test } from 'vitest';
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';
import type { Session } from '../../state/session.ts';
import { attentionOf } from './attention.ts';
import { digCommand } from './dig-command.ts';
import { readFilter, stretchOf, withoutTerm, withTerm } from './filter-state.ts';
import { followQueryLog, type Rows, withArrivals } from './query-log-store.ts';

test.each([
  ['', 'outcome:failed', 'outcome:failed'],
  ['example', 'outcome:failed', 'example outcome:failed'],
  ['outcome:failed', 'outcome:failed', 'outcome:failed'],
  ['since:1h example', 'since:10m until:5m', 'example since:10m until:5m'],
  ['slower:1s', 'slower:100ms', 'slower:100ms'],
])('%j and %j make %j', (text, added, together) => {
  expect(withTerm(readFilter(text), added)).toBe(together);
});

test('a chip that goes takes its words along, and nothing else', () => {
  const filter = readFilter('example  outcome:failed,refused -cost:cold');
  const [, outcome] = filter.terms;
  expect(outcome).toBeDefined();
  if (outcome !== undefined) expect(withoutTerm(filter, outcome)).toBe('example -cost:cold');
});

test('the stretch of time is open where nothing is said', () => {
  expect(stretchOf(readFilter('example since:1h'))).toEqual({ since: '1h', until: null });
});

test.each([
  ['www.example.com', 'A', '127.0.0.1:5300', 'dig @127.0.0.1 -p 5300 -q www.example.com -t A'],
  ['www.example.com', 'A', '[::1]:53', 'dig @::1 -q www.example.com -t A'],
  ['-x', 'A', undefined, 'dig @127.0.0.1 -q -x -t A'],
  ["a'; rm -rf ~; '", 'A', undefined, "dig @127.0.0.1 -q 'a'\\''; rm -rf ~; '\\''' -t A"],
  ['$(reboot).example', 'TXT', undefined, "dig @127.0.0.1 -q '$(reboot).example' -t TXT"],
])('%j is asked by %j safely', (name, type, listening, command) => {
  expect(digCommand(name, type, listening)).toBe(command);
});

const event = (id: number, changes: Partial<QueryEvent> = {}) =>
  ({ id, outcome: 'forwarded', clear: 'none', ms: 1, ...changes }) as QueryEvent;

const rows: Rows = {
  events: [event(2), event(1)],
  waiting: [],
  leftOut: 0,
  total: { rows: 2, of: 2 },
  progress: null,
  hasMore: false,
  loading: false,
  failure: null,
  live: true,
};
const ids = (events: readonly QueryEvent[]) => events.map(({ id }) => id);

test('what comes goes on top', () => {
  const after = withArrivals(rows, [event(4), event(3)]);
  expect(ids(after.events)).toEqual([4, 3, 2, 1]);
});

test('what comes while somebody reads waits, and then goes on top in order', () => {
  const reading = withArrivals({ ...rows, live: false }, [event(3)]);
  expect([ids(reading.events), ids(reading.waiting)]).toEqual([[2, 1], [3]]);
  const later = withArrivals({ ...reading, live: true }, [event(4)]);
  expect([ids(later.events), ids(later.waiting)]).toEqual([[4, 3, 2, 1], []]);
});

test('a tail that nobody reads does not grow without end', () => {
  const flood = Array.from({ length: 6000 }, (_, place) => event(10_000 - place));
  expect(withArrivals(rows, flood).events).toHaveLength(5000);
  expect(withArrivals({ ...rows, live: false }, flood).waiting).toHaveLength(5000);
});

test.each<[Partial<QueryEvent>, ReturnType<typeof attentionOf>]>([
  [{}, null],
  [{ ms: 101 }, 'slow'],
  [{ clear: 'bypass', ms: 500 }, 'clear'],
  [{ outcome: 'failed', clear: 'policy' }, 'failed'],
  [{ outcome: 'refused' }, 'refused'],
])('%o deserves %j', (changes, attention) => {
  expect(attentionOf(event(1, changes))).toBe(attention);
});

test('what was erased between the first rows and their count is shown no more', async () => {
  const searches = [[event(1)], []];
  const answers: Record<string, () => unknown> = {
    'log.follow': () => ({ subscription: 1 }),
    'log.unfollow': () => ({}),
    'log.search': () => ({ events: searches.shift() ?? [], next: null }),
    'log.count': () => ({ rows: 0, of: 0 }),
  };
  const connection = {
    on: () => () => {},
    call: async (method: string) => ({ ok: true, value: answers[method]?.() }),
  };
  const state = { get: () => ({ is: 'connected', connection }), subscribe: () => () => {} };
  const queryLog = followQueryLog({ state } as unknown as Session);
  queryLog.search('');
  await expect.poll(() => searches).toEqual([]);
  await expect.poll(() => queryLog.rows.get()).toMatchObject({ events: [], total: { rows: 0 } });
  queryLog.close();
});

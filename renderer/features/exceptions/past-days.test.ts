import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { dayNamed, midnightsUntil, nameOfDay, pastDays } from './past-days.ts';

beforeEach(() => {
  vi.stubEnv('TZ', 'Europe/Berlin');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const minute = 60_000;
const hour = 60 * minute;
const at = (local: string) => new Date(local).getTime();
let id = 0;

function entry(since: string, until: string | null, changes: Partial<LedgerEntry> = {}) {
  id += 1;
  return {
    ...{ id, class: 'paused', network: '', networkLabel: '', group: '', rule: '', reason: '' },
    ...{ who: 'ann', count: 1, closed: 'its time was over' },
    ...{ since: at(since), until: until === null ? null : at(until) },
    ...changes,
  } satisfies LedgerEntry as LedgerEntry;
}

/** The last three days of 26 November, noon. */
function days(entries: LedgerEntry[], now = '2026-11-26T12:00', completeSince = 0) {
  const told = pastDays({ entries, completeSince }, midnightsUntil(at(now), 3), at(now));
  return told.map(({ duration, times, named, known }) => [duration / minute, times, named, known]);
}
const nothing = [0, 0, 0, 'whole'];

test('an entry counts in the day in which it was in force', () => {
  expect(days([entry('2026-11-25T10:00', '2026-11-25T10:07')])).toEqual([
    nothing,
    [7, 1, 0, 'whole'],
    nothing,
  ]);
});

test('an entry across midnight counts in both days', () => {
  expect(days([entry('2026-11-25T23:50', '2026-11-26T00:20')])).toEqual([
    nothing,
    [10, 1, 0, 'whole'],
    [20, 1, 0, 'whole'],
  ]);
});

test('an entry that ends at midnight does not count in the next day', () => {
  expect(days([entry('2026-11-24T23:00', '2026-11-25T00:00')])).toEqual([
    [60, 1, 0, 'whole'],
    nothing,
    nothing,
  ]);
});

test('an open entry counts until now, also before its end', () => {
  const open = { closed: null };
  expect(days([entry('2026-11-26T11:00', '2026-11-26T13:00', open)]).at(-1)?.[0]).toBe(60);
  expect(days([entry('2026-11-24T18:00', null, open)])).toEqual([
    [360, 1, 0, 'whole'],
    [1440, 1, 0, 'whole'],
    [720, 1, 0, 'whole'],
  ]);
});

test('time in which two were in force counts once, and both are told', () => {
  const two = [
    entry('2026-11-25T10:30', '2026-11-25T11:30', { class: 'portal' }),
    entry('2026-11-25T10:00', '2026-11-25T11:00'),
    entry('2026-11-25T10:10', '2026-11-25T10:20'),
  ];
  expect(days(two)[1]).toEqual([90, 3, 0, 'whole']);
});

test('the names of a rule are no unencrypted minutes, but told', () => {
  expect(days([entry('2026-11-25T10:00', null, { class: 'bypass', closed: null })])).toEqual([
    nothing,
    [0, 0, 1, 'whole'],
    [0, 0, 1, 'whole'],
  ]);
});

test('one query, which took no time, was still a time', () => {
  const moment = entry('2026-11-25T00:00', '2026-11-25T00:00', { class: 'explicit' });
  expect(days([moment])[1]).toEqual([0, 1, 0, 'whole']);
});

test('a clock that was set back gives no negative time, and no entry is lost', () => {
  expect(days([entry('2026-11-25T10:00', '2026-11-25T09:00')])[1]).toEqual([0, 1, 0, 'whole']);
  expect(days([entry('2026-11-27T10:00', null, { closed: null })])[2]).toEqual([0, 1, 0, 'whole']);
  expect(days([entry('2026-11-25T10:00', null)])[1]).toEqual([0, 1, 0, 'whole']);
});

test('days before the ledger began are unknown, and the first one is known in part', () => {
  const since = at('2026-11-25T18:00');
  expect(days([], '2026-11-26T12:00', since).map((day) => day[3])).toEqual([
    'nothing',
    'part',
    'whole',
  ]);
  const older = entry('2026-11-24T10:00', null, { closed: null });
  expect(days([older], '2026-11-26T12:00', since)[0], 'what is known of it').toEqual([
    14 * 60,
    1,
    0,
    'part',
  ]);
});

test.each([
  ['2026-03-29T12:00', 23],
  ['2026-10-25T12:00', 25],
  ['2026-11-26T12:00', 24],
])('the day of %s has %i hours', (now, hours) => {
  const [from = 0, to = 0] = midnightsUntil(at(now), 1);
  expect((to - from) / hour).toBe(hours);
  const open = entry(`${now.slice(0, 10)}T00:00`, null, { closed: null });
  const [day] = pastDays({ entries: [open], completeSince: 0 }, [from, to], to);
  expect(day?.duration).toBe(hours * hour);
});

test('midnights follow each other across months, the last one after now', () => {
  expect(midnightsUntil(at('2026-03-01T23:59'), 2).map(nameOfDay)).toEqual([
    '2026-02-28',
    '2026-03-01',
    '2026-03-02',
  ]);
});

test.each(['2026-02-30', '2026-2-3', 'x', '', '2026-11-26T00:00', '2026-13-01'])(
  '%j is no day',
  (name) => expect(dayNamed(name)).toBeNull(),
);

test('a day is found by its name', () => {
  expect(dayNamed('2026-10-25')).toEqual([at('2026-10-25T00:00'), at('2026-10-26T00:00')]);
});

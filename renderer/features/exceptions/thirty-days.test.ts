import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { lastDays } from './thirty-days.ts';

const hour = 3_600_000;
beforeAll(() => {
  vi.stubEnv('TZ', 'Europe/Berlin');
});
afterAll(() => {
  vi.unstubAllEnvs();
});

const at = (text: string) => new Date(text).getTime();

function entry(since: string, until: string | null, more: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    id: 1,
    class: 'policy',
    network: '',
    networkLabel: '',
    group: '',
    rule: '',
    reason: '',
    who: '',
    since: at(since),
    until: until === null ? null : at(until),
    count: 0,
    closed: until === null ? null : 'its time ran out',
    ...more,
  };
}

const now = '2026-11-10T12:00';
const days = (entries: LedgerEntry[], completeSince = 0, until = now) =>
  lastDays(entries, completeSince, at(until));
const hours = (entries: LedgerEntry[], until = now) =>
  days(entries, 0, until)
    .slice(-3)
    .map(({ openMs }) => openMs / hour);

it('has thirty days, and today last', () => {
  const all = days([]);
  expect(all.length).toBe(30);
  expect(all.at(-1)).toMatchObject({ from: at('2026-11-10T00:00'), openMs: 0, permissions: 0 });
  expect(all[0]?.from).toBe(at('2026-10-12T00:00'));
});

it('shares what crosses midnight between both days', () => {
  expect(hours([entry('2026-11-08T22:00', '2026-11-09T03:00')])).toEqual([2, 3, 0]);
});

it('counts what is still in force until now', () => {
  expect(hours([entry('2026-11-09T20:00', null)])).toEqual([0, 4, 12]);
  expect(hours([entry('2026-11-10T11:00', '2026-11-10T13:00', { closed: null })])).toEqual([
    0, 0, 1,
  ]);
});

it('counts no time twice, but every permission', () => {
  const twice = [
    entry('2026-11-09T10:00', '2026-11-09T12:00'),
    entry('2026-11-09T11:00', '2026-11-09T13:00'),
    entry('2026-11-09T11:00', '2026-11-09T11:30'),
  ];
  expect(hours(twice)).toEqual([0, 3, 0]);
  expect(days(twice).at(-2)?.permissions).toBe(3);
});

it('leaves exceptions for single names out', () => {
  expect(hours([entry('2026-11-01T00:00', null, { class: 'bypass' })])).toEqual([0, 0, 0]);
});

it('knows that a day may have 25 hours, or 23', () => {
  const autumn = days([entry('2026-10-01T00:00', null)]);
  const length = (day: string) => (autumn.find(({ from }) => from === at(day))?.openMs ?? 0) / hour;
  expect(length('2026-10-25T00:00')).toBe(25);
  const [, , spring] = hours([entry('2026-03-01T00:00', null)], '2026-03-29T23:59:59');
  expect(Math.round(spring ?? 0)).toBe(23);
});

it('tells days before the ledger began as unknown, unless something is known of them', () => {
  const told = days([entry('2026-11-02T10:00', '2026-11-02T11:00')], at('2026-11-05T10:00'));
  const unknown = told.filter(({ isUnknown }) => isUnknown).map(({ from }) => from);
  expect(unknown).not.toContain(at('2026-11-02T00:00'));
  expect(unknown).toContain(at('2026-11-04T00:00'));
  expect(unknown).not.toContain(at('2026-11-05T00:00'));
});

it('takes nothing from a clock that was ahead, or went back', () => {
  expect(hours([entry('2026-12-24T10:00', '2026-12-24T12:00')])).toEqual([0, 0, 0]);
  expect(hours([entry('2026-11-10T11:00', '2026-11-10T10:00')])).toEqual([0, 0, 0]);
});

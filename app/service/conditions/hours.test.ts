import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HoursWindow } from '../../contract/settings/condition.ts';
import { isWithinHours } from './hours.ts';

const zone = process.env.TZ;

beforeEach(() => {
  process.env.TZ = 'Europe/Berlin';
});

afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

const night: HoursWindow = { from: '22:00', to: '06:00' };
const weekNight: HoursWindow = { days: ['mon', 'fri'], ...night };
const office: HoursWindow = { days: ['mon', 'tue'], from: '08:30', to: '17:00' };
const sunday: HoursWindow = { days: ['sun'], from: '23:00', to: '01:00' };
const wholeDay: HoursWindow = { days: ['wed'], from: '12:00', to: '12:00' };

/** The 23rd of November 2026 is a Monday. */
test.each<[HoursWindow, string, boolean]>([
  [night, '2026-11-23T21:59:59', false],
  [night, '2026-11-23T22:00:00', true],
  [night, '2026-11-24T05:59:59', true],
  [night, '2026-11-24T06:00:00', false],
  [weekNight, '2026-11-23T23:00:00', true],
  [weekNight, '2026-11-24T05:00:00', true],
  [weekNight, '2026-11-24T23:00:00', false],
  [weekNight, '2026-11-23T05:00:00', false],
  [weekNight, '2026-11-28T05:00:00', true],
  [office, '2026-11-24T08:30:00', true],
  [office, '2026-11-24T17:00:00', false],
  [office, '2026-11-25T09:00:00', false],
  [sunday, '2026-11-22T23:30:00', true],
  [sunday, '2026-11-23T00:30:00', true],
  [sunday, '2026-11-22T00:30:00', false],
  [wholeDay, '2026-11-25T12:00:00', true],
  [wholeDay, '2026-11-26T11:59:00', true],
  [wholeDay, '2026-11-25T11:59:00', false],
])('%j at %s: %s', (window, moment, expected) => {
  expect(isWithinHours([window], new Date(moment))).toBe(expected);
});

test('one of several is enough', () => {
  expect(isWithinHours([office, night], new Date('2026-11-24T23:00:00'))).toBe(true);
});

test('where clocks are put back, the hour counts both times', () => {
  const window: HoursWindow = { from: '02:00', to: '03:00' };
  for (const [moment, expected] of [
    ['2026-10-24T23:59:00Z', false],
    ['2026-10-25T00:30:00Z', true],
    ['2026-10-25T01:30:00Z', true],
    ['2026-10-25T02:00:00Z', false],
  ] as const)
    expect(isWithinHours([window], new Date(moment)), moment).toBe(expected);
});

test('where clocks are put forward, a window that begins in the missing hour begins after it', () => {
  const window: HoursWindow = { from: '02:30', to: '04:00' };
  for (const [moment, expected] of [
    ['2026-03-29T00:59:00Z', false],
    ['2026-03-29T01:00:00Z', true],
    ['2026-03-29T02:00:00Z', false],
  ] as const)
    expect(isWithinHours([window], new Date(moment)), moment).toBe(expected);
});

test('another time zone counts as soon as it is set', () => {
  const moment = new Date('2026-11-23T21:30:00Z');
  expect(isWithinHours([night], moment)).toBe(true);
  process.env.TZ = 'America/New_York';
  expect(isWithinHours([night], moment)).toBe(false);
});

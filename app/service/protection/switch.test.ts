import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { MachineClock } from '../base/machine-clock.ts';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import {
  anchored,
  begun,
  holds,
  positionUnder,
  readSwitch,
  type Switch,
  writeSwitch,
} from './switch.ts';

let folder: TestFolder;
let file: string;
beforeEach(() => {
  folder = testFolder();
  file = join(folder.path, 'state', 'switch.json');
});
afterEach(() => folder.remove());

/** `boot`: of which start of the machine. */
const clockAt = (wall: number, sinceBoot = wall, boot = 'one'): MachineClock => ({
  wall: () => wall,
  sinceBoot: () => sinceBoot,
  boot,
});

const on = { protection: 'on', since: 50, who: 'the start of the service' };
const off: Switch = { protection: 'off', since: 5, who: 'me', until: null };
const paused = (until: number | null): Switch => ({
  protection: 'paused',
  since: 5,
  who: 'me',
  until,
});

test.each([
  ['off stays off', off, off],
  ['a pause that ended meanwhile is over', paused(50), on],
  ['a pause that began in the future does not hold', { ...paused(90), since: 51 } as Switch, on],
  ['a pause until restart ends with the restart', paused(null), on],
  ['on is on', { protection: 'on', since: 5, who: 'me' } as Switch, on],
])('%s', (_what, written, read) => {
  expect(writeSwitch(file, off)).toEqual({ ok: true, value: null });
  expect(writeSwitch(file, written)).toEqual({ ok: true, value: null });
  expect(readSwitch(file, clockAt(50))).toEqual(read);
});

test.each([
  '',
  '{',
  '{"protection":"off"}',
  '{"protection":"off","since":1,"who":"","until":null,"more":1}',
])('a broken file %j means on', (text) => {
  folder.write('state/switch.json', text);
  expect(readSwitch(file, clockAt(50))).toEqual(on);
});

test('a disk that refuses changes nothing and says so', () => {
  mkdirSync(`${file}.new`, { recursive: true });
  expect(writeSwitch(file, off)).toMatchObject({
    failure: { code: 'state-unwritable', subject: file },
  });
  expect(existsSync(file)).toBe(false);
});

const byCode: Switch = { protection: 'paused', since: 5, who: 'me', until: 51, byCode: true };
test.each([
  ['off ends', off, 'on'],
  ['a pause ends', paused(51), 'on'],
  ['a pause that a help desk allowed goes on', byCode, 'paused'],
  ['on stays on', { protection: 'on', since: 5, who: 'me' } as Switch, 'on'],
])('where a pause needs a code from now on, %s', (_name, before, state) => {
  expect(positionUnder('code', before, 50).protection).toBe(state);
  expect(positionUnder('allowed', before, 50)).toBe(before);
});

test('a pause by code is still one after a restart', () => {
  writeSwitch(file, byCode);
  expect(readSwitch(file, clockAt(20))).toMatchObject({ protection: 'paused', byCode: true });
});

/** Of 46 ms, begun at 5 by both clocks. */
const pause = begun(paused(51), clockAt(5));
test.each<[string, MachineClock, number | null]>([
  ['goes on after a restart of the service', clockAt(50), 51],
  ['ends at its end', clockAt(51), null],
  ['is not prolonged by a clock set back', clockAt(9, 50), 10],
  ['is not prolonged by a clock set back before its beginning', clockAt(1, 50), 2],
  ['is over under a clock that was set back', clockAt(9, 51), null],
  ['is not shortened by a clock set forward', clockAt(9999, 50), 10_000],
  ['goes on after a start of the machine under a clock that is right', clockAt(50, 3, 'two'), 51],
  ['is over after a start of the machine when its end has passed', clockAt(51, 3, 'two'), null],
  ['lasts no longer after a start of the machine with a clock set back', clockAt(6, 40, 'two'), 12],
  ['is over by then under a clock that stands still', clockAt(6, 46, 'two'), null],
  ['is over under a clock that is before its beginning', clockAt(4, 3, 'two'), null],
])('a pause %s', (_what, clock, until) => {
  writeSwitch(file, pause);
  const read = readSwitch(file, clock);
  expect(read.protection === 'paused' ? read.until : null).toBe(until);
  expect(holds(pause, clock)).toBe(until !== null);
});

test('starts of the machine one after the other, each with a clock set back, do not prolong a pause', () => {
  writeSwitch(file, pause);
  let left: number[] = [];
  for (const boot of ['two', 'three', 'four', 'five']) {
    const clock = { wall: 6, sinceBoot: 0 };
    const machine = { wall: () => clock.wall, sinceBoot: () => clock.sinceBoot, boot };
    const read = readSwitch(file, machine);
    if (read.protection !== 'paused') break;
    clock.wall += 15;
    clock.sinceBoot += 15;
    const kept = anchored(read, machine);
    left = [...left, kept.protection === 'paused' ? (kept.left?.milliseconds ?? 0) : 0];
    writeSwitch(file, kept);
  }
  expect(left).toEqual([30, 15, 0]);
});

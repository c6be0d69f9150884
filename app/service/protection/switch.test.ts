import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestFolder, testFolder } from '../base/test-folder.ts';
import { positionUnder, readSwitch, type Switch, writeSwitch } from './switch.ts';

let folder: TestFolder;
let file: string;
beforeEach(() => {
  folder = testFolder();
  file = join(folder.path, 'state', 'switch.json');
});
afterEach(() => folder.remove());

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
  ['a pause that still runs goes on', paused(51), paused(51)],
  ['a pause that ended meanwhile is over', paused(50), on],
  ['a pause that began in the future does not hold', { ...paused(90), since: 51 } as Switch, on],
  ['a pause until restart ends with the restart', paused(null), on],
  ['on is on', { protection: 'on', since: 5, who: 'me' } as Switch, on],
])('%s', (_what, written, read) => {
  expect(writeSwitch(file, off)).toEqual({ ok: true, value: null });
  expect(writeSwitch(file, written)).toEqual({ ok: true, value: null });
  expect(readSwitch(file, 50)).toEqual(read);
});

test.each([
  '',
  '{',
  '{"protection":"off"}',
  '{"protection":"off","since":1,"who":"","until":null,"more":1}',
])('a broken file %j means on', (text) => {
  folder.write('state/switch.json', text);
  expect(readSwitch(file, 50)).toEqual(on);
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
  expect(readSwitch(file, 50)).toEqual(byCode);
});

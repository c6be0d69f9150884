import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { setShowsNotices, showsNotices } from './notice-switch.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sotto-notices-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('notices are shown until they are turned off, and again when they are turned on', () => {
  const own = join(folder, 'not-there-yet');
  expect(showsNotices(own)).toBe(true);
  expect(setShowsNotices(own, false)).toMatchObject({ ok: true });
  expect(setShowsNotices(own, false)).toMatchObject({ ok: true });
  expect(showsNotices(own)).toBe(false);
  expect(setShowsNotices(own, true)).toMatchObject({ ok: true });
  expect(showsNotices(own)).toBe(true);
});

test('a folder that can’t be written is told, and notices go on', () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  expect(setShowsNotices(file, false)).toMatchObject({ failure: { code: 'state-unwritable' } });
  expect(showsNotices(file)).toBe(true);
});

import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isComingBack } from './coming-back.ts';

test('it is said by a file, for a minute', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sotto-word-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'coming-back');
  expect(isComingBack(file)).toBe(false);
  expect(isComingBack(join(folder, 'none', 'coming-back'))).toBe(false);
  writeFileSync(file, '');
  const { mtimeMs } = statSync(file);
  expect(isComingBack(file, mtimeMs + 59_999)).toBe(true);
  expect(isComingBack(file, mtimeMs + 60_000)).toBe(false);
});

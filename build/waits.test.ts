/**
 * A test waits for an event; its limit is there for what hangs, and a short one fails where a machine stands still for a moment. Where
 * a fixed time is part of the trial, it has a name that says of what.
 */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inRoot, root } from './places.mjs';

const shortestLimitMs = 60_000;

/** Lines of a test that wait for a number of milliseconds, or give up after too few. */
function hasty(source: string): string[] {
  return source.split('\n').filter((line) => {
    const pauses = /\b(?:pause|sleep)\(\d|\bsetTimeout\(.*, ?\d[\d_]*\)/.test(line);
    const [, limit] = /\{ timeout: ([1-9][\d_]*)/.exec(line) ?? [];
    return pauses || (limit !== undefined && Number(limit.replaceAll('_', '')) < shortestLimitMs);
  });
}

test.each([
  ['  await pause(100);', true],
  ['  await pause(outageMs);', false],
  ['  setTimeout(() => response.end(), 1_200);', true],
  ['  await expect.poll(read, { timeout: 10_000 }).toBe(1);', true],
  ['  await expect.poll(read, { timeout: 60_000 }).toBe(1);', false],
])('%s', (line, isHasty) => {
  expect(hasty(line)).toEqual(isHasty ? [line] : []);
});

test('no test is hasty', () => {
  const files = globSync('{app,bench,build,e2e,renderer}/**/*.test.{ts,tsx}', { cwd: root });
  expect(files.length).toBeGreaterThan(400);
  const found = files
    .filter((file) => file !== 'build/waits.test.ts')
    .flatMap((file) =>
      hasty(readFileSync(inRoot(file), 'utf8')).map((line) => [file, line.trim()]),
    );
  expect(found).toEqual([]);
});

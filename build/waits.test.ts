/**
 * A test waits for an event; its limit is there for what hangs, and a short one fails where a machine stands still for a moment. Where
 * a fixed time is part of the trial, it has a name that says of what. Nothing is asserted of how long anything took.
 */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inRoot, root } from './places.mjs';

const shortestLimitMs = 60_000;

/** What waits for a number of milliseconds, gives up after too few, or asserts how many it took. */
function hasty(source: string): string[] {
  const pauses = /^.*(?:\b(?:pause|sleep)\(\d|\bsetTimeout\(.*, ?[1-9][\d_]*\)).*$/gm;
  const asserts = /^.*\bnow\(\) - .*\.toBe(?:Less|Greater)Than.*$/gm;
  // vitest gives up after a second
  const unlimited = /^.*\bvi\.wait(?:Until|For)\((?:(?!timeout|patience)[^;])*;/gm;
  // of a wait, and of a test behind its body
  const limits = [
    /^.*\{ timeout: ([1-9][\d_]*)(?! \*|[\d_]).*$/gm,
    /^ *\},\s+([1-9][\d_]{3,}),?\s*\);$/gm,
  ];
  const tooShort = limits
    .flatMap((limit) => [...source.matchAll(limit)])
    .filter(([, limit = '']) => Number(limit.replaceAll('_', '')) < shortestLimitMs);
  const others = [pauses, asserts, unlimited].flatMap((kind) => [...source.matchAll(kind)]);
  return [...others, ...tooShort].map(([found]) => found);
}

test.each([
  ['  await pause(100);', true],
  ['  await pause(outageMs);', false],
  ['  await new Promise((resolve) => setTimeout(resolve, 0));', false],
  ['  setTimeout(() => response.end(), 1_200);', true],
  ['  await expect.poll(read, { timeout: 10_000 }).toBe(1);', true],
  ['  await expect.poll(read, { timeout: 60_000 }).toBe(1);', false],
  ['  await expect.poll(read, { timeout: 3 * journeyMs }).toBe(1);', false],
  ['  await vi.waitUntil(() => rows === 2);', true],
  ['  await vi.waitUntil(\n    () => rows === 2,\n    patience,\n  );', false],
  ['  expect(performance.now() - started).toBeLessThan(2000);', true],
  ['}, 20_000);', true],
  ['    },\n    20_000,\n  );', true],
  ['}, 300_000);', false],
])('%s', (text, isHasty) => {
  expect(hasty(text)).toEqual(isHasty ? [text] : []);
});

test('no test is hasty', () => {
  const files = globSync('{app,bench,build,e2e,renderer}/**/*.test.{ts,tsx}', { cwd: root });
  expect(files.length).toBeGreaterThan(400);
  const found = files
    .filter((file) => file !== 'build/waits.test.ts')
    .flatMap((file) =>
      hasty(readFileSync(inRoot(file), 'utf8')).map((found) => [file, found.trim()]),
    );
  expect(found).toEqual([]);
});

/**
 * What `waits.test.ts` asks of a test in TypeScript, asked of one in Rust: it waits by `sotto_skip::waiting`, and a fixed time that is
 * part of the trial has a name that says of what.
 */
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inRoot, root } from './places.mjs';

const shortestLimitMs = 60_000;
const unitsMs: Record<string, number> = { secs: 1_000, millis: 1, micros: 0.001 };

/** Lines that sleep for a number of milliseconds, or give up after too few. */
function hasty(source: string): string[] {
  return source.split('\n').filter((line) => {
    const pauses = /\bsleep\((?:\w+::)*Duration::from_\w+\(\d/.test(line);
    const limit =
      /(?:timeout\((?:Some\()?|(?:PATIENCE|LIMIT): (?:\w+::)*Duration = )(?:\w+::)*Duration::from_(\w+)\(([\d_]+)/;
    const [, unit = '', number = ''] = limit.exec(line) ?? [];
    const limitMs = Number(number.replaceAll('_', '')) * (unitsMs[unit] ?? 0);
    return pauses || (unit !== '' && limitMs < shortestLimitMs);
  });
}

test.each([
  ['        tokio::time::sleep(Duration::from_millis(5)).await;', true],
  ['        tokio::time::sleep(STALE).await;', false],
  ['    timeout(std::time::Duration::from_secs(20), asked).await.unwrap();', true],
  ['    timeout(Duration::from_secs(60), asked).await.unwrap();', false],
  ['    socket.set_read_timeout(Some(Duration::from_secs(5))).unwrap();', true],
  ['const PATIENCE: Duration = Duration::from_secs(30);', true],
  ['const HOUR: Duration = Duration::from_secs(3600);', false],
])('%s', (line, isHasty) => {
  expect(hasty(line)).toEqual(isHasty ? [line] : []);
});

/** What of a file is a test. */
function testsIn(file: string): string {
  const source = readFileSync(inRoot(file), 'utf8');
  const isProduct = file.includes('/src/') && !file.endsWith('/tests.rs');
  return isProduct ? source.split('#[cfg(test)]\n').slice(1).join('') : source;
}

test('no test is hasty', () => {
  const files = globSync('native/*/{src,tests}/**/*.rs', { cwd: root });
  expect(files.length).toBeGreaterThan(400);
  const found = files.flatMap((file) => hasty(testsIn(file)).map((line) => [file, line.trim()]));
  expect(found).toEqual([]);
});

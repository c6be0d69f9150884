import { expect, test } from 'vitest';
import { filesThatShare, mayShare } from './shared-worker.ts';

test.each([
  ["test('one and one', () => expect(1 + 1).toBe(2));", true],
  ["import { readFileSync } from 'node:fs';", true],
  ["import { connect } from 'node:net';", false],
  ["vi.useFakeTimers({ toFake: ['Date'] });", false],
  ["process.env.TZ = 'UTC';", false],
  ['expect(status.pid).toBe(process.pid);', true],
  ["const folder = mkdtempSync('a');", true],
  ["import { spawn } from 'node:child_process';", false],
  ["import { ServiceStage } from '../service-stage.ts';", true],
  ['beforeEach(() => start());', true],
])('%s', (source, expected) => {
  expect(mayShare(source)).toBe(expected);
});

test('many files share, and none that draws in a browser or starts a server', () => {
  const files = filesThatShare();
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter((file) => file.startsWith('e2e/'))).toEqual([]);
});

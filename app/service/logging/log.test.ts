import { expect, test } from 'vitest';
import { createLog } from './log.ts';

test('lines are JSON with level, time and message', () => {
  const lines: string[] = [];
  createLog({ write: (line) => lines.push(line) }).info({ port: 53 }, 'listening');
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      pid: process.pid,
      port: 53,
      message: 'listening',
    },
  ]);
});

test('what was asked is removed wherever a caller leaves it', () => {
  const lines: string[] = [];
  const log = createLog({ write: (line) => lines.push(line) });
  const name = 'secret.example';
  log.warn(
    { name, params: { name }, inner: { question: name, events: [{ name }] } },
    'question failed',
  );
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toMatch(/secret/);
});

import { expect, test } from 'vitest';
import { createJournal } from './journal.ts';

function linesOf(tell: (journal: ReturnType<typeof createJournal>) => void): unknown[] {
  const lines: string[] = [];
  tell(createJournal({ write: (line) => lines.push(line) }));
  return lines.map((line) => JSON.parse(line));
}

test('an event is one line of JSON with level, time, word, fields and message', () => {
  const addresses = ['127.0.0.1:53'];
  const told = linesOf((journal) =>
    journal.note('service-started', { addresses, control: '/run/sotto' }),
  );
  expect(told).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      pid: process.pid,
      event: 'service-started',
      addresses,
      control: '/run/sotto',
      message: 'listening',
    },
  ]);
});

test('what a caller hands over beside the fields is left out', () => {
  const name = 'secret.example';
  const more = { who: 'ann', name, params: { name } };
  const told = linesOf((journal) => journal.note('query-log-erased', more));
  expect(told).toMatchObject([{ event: 'query-log-erased', who: 'ann' }]);
  expect(JSON.stringify(told)).not.toMatch(/secret/);
});

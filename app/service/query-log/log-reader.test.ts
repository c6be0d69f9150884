import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { record } from './event-record-fixture.ts';
import type { FromReader, JobProgress } from './log-messages.ts';
import { LogReader } from './log-reader.ts';
import { LogStore } from './log-store.ts';
import { filterOf } from './read-fixture.ts';

const rows = 5_000;

let directory: string;
let file: string;
let said: FromReader[];
let clock: number;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sotto-reader-'));
  file = join(directory, 'queries.sqlite');
  const store = new LogStore(file);
  store.append(
    Array.from({ length: rows }, (_, index) =>
      record({ id: index + 1, name: index % 1000 === 0 ? 'rare.example' : `n${index}.example` }),
    ),
  );
  store.close();
  said = [];
  clock = 0;
});

afterEach(() => rmSync(directory, { recursive: true }));

/** Each step takes a fifth of a second. */
function slowReader(breathe: () => Promise<void> = () => Promise.resolve()): LogReader {
  return new LogReader(file, {
    now: () => {
      clock += 200;
      return clock;
    },
    breathe,
    send: (message) => said.push(message),
  });
}

const search = (job: number) => ({
  kind: 'job' as const,
  job,
  work: 'search' as const,
  request: { filter: filterOf('/^rare/ -/xyz/'), limit: 100, now: 0 },
});

test('a search that takes its time tells how far it is, and what it found meanwhile', async () => {
  await slowReader().receive(search(1));
  const progress = said.flatMap((message) =>
    'progress' in message ? [message.progress as JobProgress] : [],
  );
  expect(progress.length).toBeGreaterThan(0);
  for (const { scanned, of } of progress) expect([scanned <= of, of]).toEqual([true, rows]);
  const last = said.at(-1);
  expect(last).toMatchObject({ job: 1, answer: { next: null } });
  const told = progress.flatMap(({ events }) => events ?? []);
  const answer =
    last !== undefined && 'answer' in last ? (last.answer as { events: unknown[] }) : null;
  expect(answer?.events).toHaveLength(5);
  expect(answer?.events.slice(0, told.length)).toEqual(told);
});

test('a search that is cancelled says nothing more', async () => {
  let breaths = 0;
  const reader = slowReader(async () => {
    breaths += 1;
    if (breaths === 1) await reader.receive({ kind: 'cancel', job: 1 });
  });
  await reader.receive(search(1));
  expect(breaths).toBe(1);
  expect(said.filter((message) => 'answer' in message)).toEqual([]);
});

test('two searches go on in turns', async () => {
  const reader = slowReader();
  await Promise.all([reader.receive(search(1)), reader.receive(search(2))]);
  const answered = said.filter((message) => 'answer' in message).map(({ job }) => job);
  expect(answered.sort()).toEqual([1, 2]);
});

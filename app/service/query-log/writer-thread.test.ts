import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { encodeBatch, record } from './event-record-fixture.ts';
import type { WriterStatus } from './log-messages.ts';
import { readEvents } from './read-fixture.ts';
import { WriterThread } from './writer-thread.ts';

const directory = mkdtempSync(join(tmpdir(), 'sotto-log-'));
const patience = { timeout: 60_000, interval: 5 };

afterEach(() => rmSync(directory, { recursive: true }));

test('a writer that ends by a defect is replaced; what came meanwhile is counted', async () => {
  const file = join(directory, 'queries.sqlite');
  const said: WriterStatus[] = [];
  const settings = { mode: 'full', programs: true, keepDays: 3650, maxMegabytes: 64 } as const;
  const live: number[] = [];
  const writer = new WriterThread(file, settings, {
    onStatus: (status) => said.push(status),
    onTap: () => {},
    onLive: (events) => live.push(...events.map(({ id }) => id)),
  });
  await writer.ready;
  writer.follow(true);
  writer.accept(encodeBatch([record(), record()]));
  await vi.waitUntil(() => writer.status().rows === 2, patience);

  writer.send({ kind: 'batch', octets: undefined as never });
  const waiting = writer.clear();
  await expect(waiting).rejects.toThrow();
  expect(writer.status().state).toBe('stopped');
  expect(said.at(-1)?.stoppedAt).toBeGreaterThan(0);
  writer.accept(encodeBatch([record(), record(), record()]));
  expect(writer.status().lost).toBe(3);

  await vi.waitUntil(() => writer.status().state === 'writing', patience);
  writer.accept(encodeBatch([record({ name: 'again.example' })]));
  await vi.waitUntil(() => writer.status().rows === 3, patience);
  expect(writer.status().lost).toBe(3);
  expect(readEvents(file, { limit: 1 })[0]).toMatchObject({ id: 3, name: 'again.example' });
  await vi.waitUntil(() => live.length === 3, patience);
  expect(live).toEqual([1, 2, 3]);
  await writer.close();
  await expect(writer.clear()).rejects.toThrow('not running');
});

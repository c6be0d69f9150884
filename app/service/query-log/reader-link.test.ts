import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { record } from './event-record-fixture.ts';
import { LogStore } from './log-store.ts';
import { ReaderLink } from './reader-link.ts';

let directory: string;
let file: string;
let reader: ReaderLink | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sotto-link-'));
  file = join(directory, 'queries.sqlite');
  const store = new LogStore(file);
  store.append([record({ id: 1 })]);
  store.close();
});

afterEach(async () => {
  await reader?.close();
  rmSync(directory, { recursive: true });
});

const readOne = () => reader?.run('event', { id: 1 }).answer;

/** The processes that read this test's file. */
function readers(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(file);
      } catch {
        return false;
      }
    })
    .map(Number);
}

const onLinux = test.skipIf(process.platform !== 'linux');

onLinux(
  'the reader ends when nobody asks any more, and is there for the next who does',
  async () => {
    reader = new ReaderLink(file, () => {}, 1);
    expect(await readOne()).toMatchObject({ id: 1 });
    await vi.waitUntil(() => readers().length === 0, { timeout: 60_000, interval: 20 });
    expect(await readOne()).toMatchObject({ id: 1 });
  },
);

onLinux('a reader that is killed is replaced', async () => {
  reader = new ReaderLink(file, () => {});
  await readOne();
  const [pid] = readers();
  process.kill(pid as number, 'SIGKILL');
  await vi.waitUntil(() => readers().length === 0, { timeout: 60_000, interval: 20 });
  await vi.waitUntil(
    () =>
      readOne()?.then(
        () => true,
        () => false,
      ),
    { timeout: 60_000 },
  );
});

onLinux('all of its threads stand back', async () => {
  reader = new ReaderLink(file, () => {});
  await readOne();
  const [pid] = readers();
  const nice = readdirSync(`/proc/${pid}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
  expect(Math.min(...nice)).toBeGreaterThanOrEqual(15);
});

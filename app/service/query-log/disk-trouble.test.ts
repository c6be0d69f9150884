import {
  type ChildProcessWithoutNullStreams,
  execFileSync,
  spawn,
  spawnSync,
} from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { HealthIssue } from '../../contract/status/health-issue.ts';
import type { QueryLogStatus } from './log-messages.ts';

const fixture = new URL('./crash-fixture.ts', import.meta.url).pathname;
const batch = 200;
const patience = { timeout: 60_000, interval: 10 };

interface LogProcess {
  child: ChildProcessWithoutNullStreams;
  /** How many were given to it. */
  batches: number;
  statuses: QueryLogStatus[];
  health: (HealthIssue | null)[];
  latest: () => QueryLogStatus | undefined;
}

let directory: string;
let file: string;
let running: LogProcess | undefined;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sotto-log-'));
  file = join(directory, 'queries.sqlite');
});

afterEach(async () => {
  const child = running?.child;
  running = undefined;
  if (child && child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  rmSync(directory, { recursive: true });
});

function start(command: string, ...options: string[]): LogProcess {
  const child = spawn(command, options);
  const statuses: QueryLogStatus[] = [];
  const health: (HealthIssue | null)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const said = JSON.parse(line) as { status?: QueryLogStatus; health?: HealthIssue | null };
    if (said.status) statuses.push(said.status);
    if (said.health !== undefined) health.push(said.health);
  });
  running = { child, batches: 0, statuses, health, latest: () => statuses.at(-1) };
  return running;
}

function writeBatches(log: LogProcess, count: number): void {
  log.batches += count;
  log.child.stdin.write(`${batch}\n`.repeat(count));
}

async function end({ child }: LogProcess): Promise<void> {
  child.stdin.end();
  await once(child, 'exit');
}

function inspect(): { integrity: unknown; rows: number; lastId: number } {
  const database = new Database(file);
  try {
    return {
      integrity: database.pragma('integrity_check', { simple: true }),
      rows: database.prepare('SELECT count(*) FROM events').pluck().get() as number,
      lastId: database.prepare('SELECT max(id) FROM events').pluck().get() as number,
    };
  } finally {
    database.close();
  }
}

test('SIGKILL costs no batch that was reported as written, and the database opens clean', async () => {
  const log = start(process.execPath, fixture, file);
  writeBatches(log, 200);
  await vi.waitUntil(() => (log.latest()?.rows ?? 0) >= 3 * batch, patience);
  log.child.kill('SIGKILL');
  await once(log.child, 'exit');
  const reported = log.latest()?.rows ?? 0;

  const found = inspect();
  expect(found.integrity).toBe('ok');
  expect(found.rows).toBeGreaterThanOrEqual(reported);
  expect(found.rows % batch).toBe(0);
  expect(found.lastId).toBe(found.rows);
});

test('a file that may not grow stops the log, and it goes on by itself when it may', async () => {
  const limited = 'ulimit -S -f 1500 && exec "$0" "$@"';
  const log = start('bash', '-c', limited, process.execPath, fixture, file);
  await stopsWhenFull(log);
  execFileSync('prlimit', ['--pid', String(log.child.pid), '--fsize=unlimited:unlimited']);
  await goesOn(log);
  await end(log);
  expect(inspect()).toMatchObject({ integrity: 'ok', rows: log.latest()?.rows });
});

test('a full disk stops the log, and it goes on by itself when there is room', async ({ skip }) => {
  const mount = 'mount -t tmpfs -o size=4m none "$1"';
  const namespace = ['--user', '--map-root-user', '--mount', 'bash', '-c'];
  const possible = spawnSync('unshare', [...namespace, mount, 'bash', directory]);
  if (possible.status !== 0) {
    const reason =
      'no unprivileged mounts here (unshare --user --mount): enable user namespaces to run it';
    process.stderr.write(`skipped: ${reason}\n`);
    skip(reason);
  }
  const ballast = 'head -c 2000000 /dev/zero > "$1/ballast"';
  const script = `${mount} && ${ballast} && exec "$0" "$2" "$1/queries.sqlite"`;
  const log = start('unshare', ...namespace, script, process.execPath, directory, fixture);
  await stopsWhenFull(log);
  expect(log.health[0]?.text).toMatch(/disk is full/);
  rmSync(`/proc/${log.child.pid}/root${directory}/ballast`);
  await goesOn(log);
});

async function stopsWhenFull(log: LogProcess): Promise<void> {
  while (log.latest()?.state !== 'stopped') {
    const before = log.latest()?.rows ?? -1;
    writeBatches(log, 1);
    await vi.waitUntil(
      () => log.latest()?.state === 'stopped' || (log.latest()?.rows ?? -1) > before,
      patience,
    );
  }
  await vi.waitUntil(() => log.health.length > 0, patience);
  expect(log.health[0]).toMatchObject({ code: 'log-stopped', severity: 'warning' });
  expect(log.latest()?.reason).toMatch(/SQLITE_/);
  writeBatches(log, 3);
  await vi.waitUntil(() => keptBatches(log) === 1, patience);
  expect(log.health).not.toContain(null);
}

/** The first batch that could not be written was kept and is written now. */
async function goesOn(log: LogProcess): Promise<void> {
  await vi.waitUntil(() => log.health.at(-1) === null, patience);
  await vi.waitUntil(() => log.latest()?.state === 'writing', patience);
  await vi.waitUntil(() => keptBatches(log) === 0, patience);
  const before = log.latest()?.rows ?? 0;
  writeBatches(log, 2);
  await vi.waitUntil(() => log.latest()?.rows === before + 2 * batch, patience);
}

/** Batches that were given to the log and are neither written nor counted as lost. */
function keptBatches(log: LogProcess): number {
  const { rows = 0, lost = 0 } = log.latest() ?? {};
  return log.batches - (rows + lost) / batch;
}

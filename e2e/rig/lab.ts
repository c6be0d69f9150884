/**
 * What belongs to a test: its own folder, and everything that it started. The lab ends the newest first, whether the test
 * passed or not, and shows the programs' output when it failed.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, onTestFailed, onTestFinished } from 'vitest';
import type { Program } from './process.ts';

interface Guest {
  stop(): Promise<unknown>;
  /** its output so far, for a failed test */
  transcript?(): string;
}

export class Lab {
  #directory = '';
  readonly #guests: Guest[] = [];

  /** A short path: control sockets have room for about a hundred octets. */
  get directory(): string {
    return this.#directory;
  }

  async open(): Promise<void> {
    this.#directory = await mkdtemp(join(tmpdir(), 'sotto-e2e-'));
  }

  adopt<T extends Guest>(guest: T): T {
    this.#guests.push(guest);
    return guest;
  }

  /** A program whose first process is that of a PID namespace: only SIGKILL ends it. */
  adoptUndying(program: Program): Program {
    this.adopt({ stop: () => program.stop('SIGKILL'), transcript: () => program.transcript() });
    return program;
  }

  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const guest of this.#guests.reverse())
      await guest.stop().catch((error) => failures.push(error));
    // a program that was ended may still have a child that writes there
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 20 });
    if (failures.length > 0) throw failures[0];
  }

  transcripts(): string {
    return this.#guests.map((guest) => guest.transcript?.() ?? '').join('\n');
  }
}

/** Shared by the tests of the describe block in which it is called. */
export function labForFile(): Lab {
  const lab = new Lab();
  beforeAll(() => lab.open());
  afterEach((context) => {
    if (context.task.result?.state === 'fail') console.error(lab.transcripts());
  });
  afterAll(() => lab.close());
  return lab;
}

/** For the running test alone. */
export async function labForTest(): Promise<Lab> {
  const lab = new Lab();
  await lab.open();
  onTestFailed(() => console.error(lab.transcripts()));
  onTestFinished(() => lab.close());
  return lab;
}

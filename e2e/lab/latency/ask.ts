/** Queries by a timetable (bench/native/paced.c), from a machine of the lab. */

import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtPath } from '../../../bench/compiler.ts';
import type { Namespace } from '../../rig/network/namespace.ts';

export interface Door {
  address: string;
  port: number;
}

export interface Timetable {
  queries: readonly { atMs: number; name: string }[];
  /** since the start, or since the response before */
  each: 'at' | 'after';
  patienceMs?: number;
  /** 0: never */
  retryMs?: number;
}

export interface Answers {
  /** in the order of the queries, since each was due; null without a response */
  ms: (number | null)[];
  /** errors, and responses without data; they are in `ms` too */
  errors: number;
}

const defaultPatienceMs = 5000;

export async function ask(from: Namespace, door: Door, timetable: Timetable): Promise<Answers> {
  const { queries, each, patienceMs = defaultPatienceMs, retryMs = 0 } = timetable;
  const file = join(tmpdir(), `sotto-timetable-${randomUUID()}`);
  await writeFile(file, queries.map(({ atMs, name }) => `${atMs * 1000} ${name}\n`).join(''));
  try {
    const command = 'file=$1; shift; exec "$@" < "$file"';
    const args = [door.address, door.port, each, patienceMs, retryMs].map(String);
    const { code, stdout, stderr } = await from.run(
      '/bin/sh',
      ['-c', command, 'sh', file, builtPath('paced'), ...args],
      { timeoutMs: 600_000 },
    );
    if (code !== 0) throw new Error(`paced ended with ${code}: ${stderr}`);
    const { us, errors } = JSON.parse(stdout) as { us: (number | null)[]; errors: number };
    return { ms: us.map((taken) => (taken === null ? null : taken / 1000)), errors };
  } finally {
    await rm(file);
  }
}

export function allAtOnce(names: readonly string[]): Timetable {
  return { queries: names.map((name) => ({ atMs: 0, name })), each: 'at' };
}

export function inSequence(names: readonly string[]): Timetable {
  return { queries: names.map((name) => ({ atMs: 0, name })), each: 'after' };
}

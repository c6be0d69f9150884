/** Runs dnsperf and reads three figures from its output. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { locate } from '../rig/available.ts';
import type { Lab } from '../rig/lab.ts';
import { succeed } from '../rig/process.ts';
import type { Endpoint } from '../rig/raw-client.ts';

interface Load {
  names: string[];
  seconds: number;
  /** queries a second, at most */
  rate: number;
}

interface LoadResult {
  sent: number;
  completed: number;
  lost: number;
  /** how many responses had each response code */
  rcodes: Record<string, number>;
}

/** How long it waits for a response before it counts as lost. */
const patienceSeconds = 30;

let count = 0;

export async function dnsperf(lab: Lab, to: Endpoint, load: Load): Promise<LoadResult> {
  const queries = join(lab.directory, `dnsperf-${++count}.txt`);
  await writeFile(queries, `${load.names.map((name) => `${name} A`).join('\n')}\n`);
  const output = await succeed(locate('dnsperf'), [
    ...['-s', to.address, '-p', String(to.port), '-d', queries],
    ...['-l', String(load.seconds), '-Q', String(load.rate), '-t', String(patienceSeconds)],
  ]);
  return { ...counts(output), rcodes: rcodes(output) };
}

function counts(output: string): Omit<LoadResult, 'rcodes'> {
  const read = (label: string) =>
    Number(new RegExp(`Queries ${label}:\\s+(\\d+)`).exec(output)?.[1]);
  return { sent: read('sent'), completed: read('completed'), lost: read('lost') };
}

function rcodes(output: string): Record<string, number> {
  const line = /Response codes:\s+(.*)/.exec(output)?.[1] ?? '';
  return Object.fromEntries(
    [...line.matchAll(/([A-Z]+) (\d+)/g)].map(([, name, number]) => [name, Number(number)]),
  );
}

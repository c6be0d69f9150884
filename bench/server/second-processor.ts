/** What each handshake and query costs sotto-server with two threads on two processors, beside one thread. */
import type { Identity } from '../../e2e/rig/certificates.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import { begin, cost, loads, rounds } from './costs.ts';
import { sotto } from './servers.ts';

export const compared = ['full', 'resumed', 'queries 10', 'queries 100', 'queries 1000'] as const;

export type Threads = Record<(typeof compared)[number], number>;

/** Microseconds of processor time, one of each round. */
export interface SecondProcessor {
  one: Threads[];
  two: Threads[];
}

export async function secondProcessor(lab: Lab, identity: Identity): Promise<SecondProcessor> {
  const seen: SecondProcessor = { one: [], two: [] };
  for (let round = 0; round < rounds; round++) {
    seen.one.push(await withProcessors(lab, identity, ['0']));
    seen.two.push(await withProcessors(lab, identity, ['0', '1']));
    console.log('one and two processors:', seen.one.at(-1), seen.two.at(-1));
  }
  return seen;
}

async function withProcessors(lab: Lab, identity: Identity, processors: string[]) {
  const started = await begin(lab, sotto, identity, undefined, processors);
  const threads: Partial<Threads> = {};
  for (const load of compared) threads[load] = (await cost(lab, started, loads[load])).microseconds;
  await started.program.stop();
  return threads as Threads;
}

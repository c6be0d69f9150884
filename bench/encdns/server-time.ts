/** Processor time of the server for a query, whatever the sender needs beside it. */
import type { Lab } from '../../e2e/rig/lab.ts';
import type { EncdnsServer } from '../../e2e/rig/peers/encdns-server.ts';
import type { BoxKind, BoxSummary } from '../../e2e/rig/sotto-lab.ts';
import { ProcessTree } from '../process-tree.ts';
import { send, startServer } from './server.ts';

const rounds = 7;
export const queries = {
  plain: 200_000,
  session: 200_000,
  extended: 200_000,
  'per-query': 100_000,
} as const;

export interface Sent extends BoxSummary {
  /** microseconds of the server for each query */
  server: number;
}

export interface Round {
  plain: Sent;
  session: Sent;
  extended: Sent;
  perQuery: Sent;
}

export async function serverTime(lab: Lab): Promise<Round[]> {
  const server = await startServer(lab, 0);
  const done: Round[] = [];
  while (done.length < rounds) {
    const plain = await timed(lab, server, 'plain');
    const session = await timed(lab, server, 'session');
    const extended = await timed(lab, server, 'extended');
    const perQuery = await timed(lab, server, 'per-query');
    done.push({ plain, session, extended, perQuery });
    const each = [plain, session, extended, perQuery].map((sent) => sent.server.toFixed(1));
    console.log(`round ${done.length} of ${rounds}: ${each.join(', ')} µs`);
  }
  return done;
}

async function timed(lab: Lab, server: EncdnsServer, kind: Exclude<BoxKind, 'garbage'>) {
  const tree = new ProcessTree(server.pid);
  const before = await tree.cpuSeconds();
  const summary = await send(lab, server, kind, queries[kind]);
  const spent = (await tree.cpuSeconds()) - before;
  return { ...summary, server: (spent * 1e6) / queries[kind] };
}

/** Who fared how under which attack, as Markdown. */
import { shown } from '../numbers.ts';
import type { LoadSummary } from '../server/clients.ts';
import type { Circumstances } from '../server/measure.ts';
import { servers } from '../server/servers.ts';
import { type Fared, places } from './attacks.ts';

interface Results extends Circumstances {
  fared: Record<string, Fared[]>;
}

export function report({ date, machine, versions, fared }: Results): string {
  return `# The server under attack

Measured ${date.slice(0, 10)} by \`npm run bench:attacks\`; this file is written by it. DNS over TLS on loopback, ${shown(places, 0)} connections at a time (Knot Resolver knows no such
limit). The server has one processor; attackers and everybody else share the other, on which everybody else comes first (SCHED_FIFO) and attackers run only while nobody has anything to do (SCHED_IDLE). Newcomers make a connection for each query,
one after the other, while the attack goes on; the others were there before it and send 500 queries a second on 10 connections.
${machine.processor}, ${machine.cores} cores, Linux ${machine.kernel}, load before ${shown(machine.loadBefore, 1)}.
${servers.map(({ title }, at) => `${title} ${versions[at]}`).join(', ')}; setup as in server.md.

Published (T-DNS report, figure 5): with 4,096 slots and 10 connections a second of each, 5 attackers take all of them, and 100 % of the queries of others are lost.

${servers.map(({ title }) => section(title, fared[title] ?? [])).join('\n\n')}`;
}

function section(title: string, fared: Fared[]): string {
  return `## ${title}

| attackers | newcomers without a response | their p50, p99 in ms | queries lost on connections kept | their p50, p99 in ms | memory |
|---|---|---|---|---|---|
${fared.map(row).join('\n')}`;
}

function row({ attack, newcomers, kept, memory }: Fared): string {
  const cells = [lost(newcomers), waits(newcomers), lost(kept), waits(kept)];
  return `| ${attack} | ${cells.join(' | ')} | ${shown(memory, 0)} MB |`;
}

export function lost({ done, failed }: Pick<LoadSummary, 'done' | 'failed'>): string {
  return `${shown((100 * failed) / Math.max(done + failed, 1), 1)} % of ${shown(done + failed, 0)}`;
}

export function waits({ latencyMs }: { latencyMs: { p50: number; p99: number } | null }): string {
  return latencyMs === null ? '–' : `${shown(latencyMs.p50, 1)}, ${shown(latencyMs.p99, 1)}`;
}

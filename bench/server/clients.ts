/** The clients of a DNS-over-TLS server, which `sotto-lab tls` is, on a processor of their own. */
import { sottoLab } from '../../e2e/rig/available.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import { Program } from '../../e2e/rig/process.ts';
import { Running } from '../../e2e/rig/sotto-lab.ts';
import { name } from './servers.ts';

const processor = '1';

export interface Load {
  kind: 'full' | 'resumed' | 'queries';
  connections: number;
  seconds: number;
  /** queries without a response, on all connections together */
  outstanding?: number;
  /** queries a second */
  rate?: number;
}

export interface LoadSummary {
  seconds: number;
  done: number;
  failed: number;
  resumed: number;
  latencyMs: { p50: number; p99: number } | null;
}

export async function clients(lab: Lab, port: number, load: Load): Promise<LoadSummary> {
  const { kind, connections, seconds, outstanding, rate } = load;
  const program = await startLab(port, kind, connections, seconds, [
    ...(outstanding === undefined ? [] : ['--outstanding', String(outstanding)]),
    ...(rate === undefined ? [] : ['--rate', String(rate)]),
  ]);
  return await lab.adopt(new Running<LoadSummary, never>(program, 'tls')).summary();
}

/** Connections that have asked once and say nothing more, until the program that is returned is stopped. */
export async function idleClients(lab: Lab, port: number, connections: number): Promise<Program> {
  const program = lab.adopt(await startLab(port, 'idle', connections, 600, []));
  await program.ready(async () => program.stdout.includes('"open"'), 120_000);
  return program;
}

async function startLab(
  port: number,
  kind: string,
  connections: number,
  seconds: number,
  more: string[],
): Promise<Program> {
  const what = ['--kind', kind, '--connections', String(connections), '--seconds', String(seconds)];
  const words = ['tls', '--json', '--to', `127.0.0.1:${port}`, '--name', name, ...what, ...more];
  return await Program.start('taskset', ['-c', processor, sottoLab, ...words]);
}

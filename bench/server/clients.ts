/** The clients of a DNS-over-TLS server, which `sotto-lab tls` is, on a processor of their own. */
import { sottoLab } from '../../e2e/rig/available.ts';
import type { Lab } from '../../e2e/rig/lab.ts';
import type { Program } from '../../e2e/rig/process.ts';
import { text } from '../../e2e/rig/raw-client.ts';
import { Running } from '../../e2e/rig/sotto-lab.ts';
import { loopback } from './network.ts';
import { name } from './servers.ts';

export const clientProcessor = '1';

export interface Load {
  kind: 'full' | 'resumed' | 'queries' | 'idle' | 'deaf';
  /** at a time */
  connections: number;
  seconds: number;
  /** the addresses from which they come, in turn; several, if left out */
  from?: string[];
  /** queries without a response, on all connections together */
  outstanding?: number;
  /** queries or handshakes a second, at fixed times */
  rate?: number;
  /** After its handshake and query a connection remains, until the server closes it. */
  stay?: boolean;
}

export interface LoadSummary {
  seconds: number;
  done: number;
  failed: number;
  resumed: number;
  /** of connections that were to stay, those that were open at the end */
  held: number;
  latencyMs: { p50: number; p99: number; max: number } | null;
  /** share of their processor that they took themselves */
  busy: number | null;
}

export async function clients(
  lab: Lab,
  port: number,
  load: Load,
  network = loopback,
): Promise<LoadSummary> {
  return await (await startClients(lab, port, load, network)).summary();
}

/** They go on until their time is over. */
export async function startClients(lab: Lab, port: number, load: Load, network = loopback) {
  return lab.adopt(new Running<LoadSummary, never>(await startLab(port, load, network), 'tls'));
}

/** Connections that have asked once and say nothing more, until the program that is returned is stopped. */
export async function idleClients(lab: Lab, port: number, connections: number): Promise<Program> {
  const program = lab.adopt(await startLab(port, { kind: 'idle', connections, seconds: 600 }));
  await program.ready(async () => program.stdout.includes('"open"'), 120_000);
  return program;
}

async function startLab(port: number, load: Load, network = loopback): Promise<Program> {
  const { kind, connections, seconds, from, outstanding, rate, stay } = load;
  const to = text({ address: network.address, port });
  const words = ['tls', '--json', '--to', to, '--name', name, '--kind', kind];
  if (stay) words.push('--stay');
  const given = { connections, seconds, from, outstanding, rate };
  for (const [option, value] of Object.entries(given))
    if (value !== undefined) words.push(`--${option}`, String(value));
  return await network.startClient('taskset', ['-c', clientProcessor, sottoLab, ...words]);
}

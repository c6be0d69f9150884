/** Clients whose connections begin at fixed times, each with a full handshake and a query. */
import { join } from 'node:path';
import type { Lab } from '../../e2e/rig/lab.ts';
import { Running } from '../../e2e/rig/sotto-lab.ts';
import { clientProcessor } from '../server/clients.ts';
import { name } from '../server/servers.ts';
import type { Pace, Paced } from './pace.ts';
import { newcomers, type Stage } from './stage.ts';

const program = join(import.meta.dirname, 'pace.ts');

export async function pacedClients(
  lab: Lab,
  { network }: Stage,
  port: number,
  pace: Omit<Pace, 'to' | 'name'>,
): Promise<Running<Paced, never>> {
  const told: Pace = { ...pace, to: { address: network.address, port }, name };
  const command = [process.execPath, program, JSON.stringify(told)];
  const started = await network.startClient('taskset', ['-c', clientProcessor, ...command]);
  return lab.adopt(new Running<Paced, never>(started, 'paced'));
}

/** Fifty clients a second that are not known yet, each with one connection, for three seconds. */
export async function visitors(lab: Lab, stage: Stage, port: number): Promise<Paced> {
  const pace = { from: [newcomers], rate: 50, seconds: 3, stay: false };
  return await (await pacedClients(lab, stage, port, pace)).summary();
}

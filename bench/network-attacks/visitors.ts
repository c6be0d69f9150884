/** Clients that come while an attack goes on, and are not known yet. */
import type { Lab } from '../../e2e/rig/lab.ts';
import { clients, type Load, type LoadSummary } from '../server/clients.ts';
import { first } from '../server/network.ts';
import { newcomers, type Stage } from './stage.ts';

export const visitSeconds = 5;
const rate = 100;

/** A hundred a second, each with a connection of its own, a full handshake and a query. */
export async function visitors(lab: Lab, stage: Stage, port: number): Promise<LoadSummary> {
  const connections = rate * visitSeconds;
  const load: Load = {
    kind: 'full',
    connections,
    rate,
    seconds: visitSeconds,
    from: [newcomers],
  };
  return await clients(lab, port, load, first(stage.network));
}

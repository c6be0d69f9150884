/** Where the servers that are measured run, and their clients. */
import { Program } from '../../e2e/rig/process.ts';

type Start = (command: string, args: string[]) => Promise<Program>;

export interface Network {
  /** the servers' */
  address: string;
  startServer: Start;
  startClient: Start;
}

export const loopback: Network = {
  address: '127.0.0.1',
  startServer: Program.start,
  startClient: Program.start,
};

/** Its clients run before everything else on their processor (SCHED_FIFO, sched(7)), so that they wait for the server alone. */
export function first(network: Network): Network {
  return ordered(network, ['chrt', '--fifo', '1']);
}

/**
 * Its clients run only while nobody else on their processor has anything to do (SCHED_IDLE, sched(7)), so that what others wait for is
 * the server and not the attackers' own work.
 */
export function inTheGaps(network: Network): Network {
  return ordered(network, ['chrt', '--idle', '0']);
}

function ordered(network: Network, [by, ...order]: [string, ...string[]]): Network {
  const startClient: Start = (command, args) =>
    network.startClient(by, [...order, command, ...args]);
  return { ...network, startClient };
}

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

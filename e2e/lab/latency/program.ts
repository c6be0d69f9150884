/**
 * A program that forwards over TLS, on the client's machine. bench/peers says which programs there are and how they are
 * installed.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { programPath } from '../../../bench/debian.ts';
import type { Peer, Place } from '../../../bench/peer.ts';
import type { Lab } from '../../rig/lab.ts';
import type { Namespace } from '../../rig/network/namespace.ts';
import type { Program as Process } from '../../rig/process.ts';
import type { Door } from './ask.ts';

export interface Program {
  id: string;
  /** the row of every table */
  title: string;
  /** what a reader must know to judge the figures */
  setup: string;
  /** null when it can be started, otherwise the reason */
  provide(): Promise<string | null>;
  version(): Promise<string>;
  /** Resolves when it listens. */
  start(seat: Seat): Promise<Running>;
}

/** Where one run of a program takes place. */
export interface Seat extends Place {
  lab: Lab;
  machine: Namespace;
}

export interface Running {
  title: string;
  door: Door;
  pid: number;
}

/** The file of its settings, its content, and the arguments that name it. */
interface Launch {
  file: string;
  settings: (seat: Seat) => string;
  args: (file: string) => string[];
  /** where it is not on the path */
  command?: string;
  env?: (seat: Seat) => Record<string, string>;
}

/** A peer that responds over UDP as soon as its socket is bound; the program is called as the peer is. */
export function peerProgram(peer: Peer, setup: string, launch: Launch): Program {
  const { id, title, provide, version } = peer;
  return {
    id,
    title,
    setup,
    provide,
    version,
    async start(seat) {
      const file = join(seat.directory, launch.file);
      await writeFile(file, launch.settings(seat));
      const { command = programPath(id), env = () => ({}) } = launch;
      const started = await seat.machine.start(command, launch.args(file), { env: env(seat) });
      const process = seat.lab.adopt(started);
      await process.ready(() => listens(process, seat.port));
      return { title, door: { address: '127.0.0.1', port: seat.port }, pid: process.pid };
    },
  };
}

/** Local addresses of UDP sockets in the network of that process, in hexadecimal (proc(5)). */
async function listens({ pid }: Process, port: number): Promise<boolean> {
  const sockets = await readFile(`/proc/${pid}/net/udp`, 'utf8');
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  return sockets.includes(wanted);
}

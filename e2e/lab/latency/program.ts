/** A program that forwards over TLS, on the client's machine. Who it is and how it comes here, bench/peers knows already. */
import { readFile } from 'node:fs/promises';
import type { Peer } from '../../../bench/peer.ts';
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
  /** Done when it listens. */
  start(seat: Seat): Promise<Running>;
}

/** The resolver, as every program needs to know it. */
interface Trusted {
  address: string;
  name: string;
  /** PEM file */
  ca: string;
}

/** Where one run of a program takes place. */
export interface Seat {
  lab: Lab;
  machine: Namespace;
  /** its own, empty */
  directory: string;
  /** on 127.0.0.1 of the machine */
  port: number;
  upstream: Trusted;
}

export interface Running {
  title: string;
  door: Door;
  pid: number;
}

type Launch = (seat: Seat) => Promise<{ command: string; args: string[] }>;

/** A peer that answers over UDP as soon as its socket is there. */
export function peerProgram(
  { id, title, provide, version }: Peer,
  setup: string,
  launch: Launch,
): Program {
  return {
    id,
    title,
    setup,
    provide,
    version,
    async start(seat) {
      const { command, args } = await launch(seat);
      const process = seat.lab.adopt(await seat.machine.start(command, args));
      await process.ready(() => listens(process, seat.port));
      return { title, door: { address: '127.0.0.1', port: seat.port }, pid: process.pid };
    },
  };
}

/** proc(5): local addresses of UDP sockets in the network of that process, in hexadecimal. */
async function listens({ pid }: Process, port: number): Promise<boolean> {
  const sockets = await readFile(`/proc/${pid}/net/udp`, 'utf8');
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  return sockets.includes(wanted);
}

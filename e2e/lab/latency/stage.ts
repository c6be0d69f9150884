/** Two machines a round trip apart: the client's, where the programs and their clients run, and that of the server. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { TrustedServer } from '../../../bench/peer.ts';
import { median } from '../../../bench/statistics.ts';
import type { Lab } from '../../rig/lab.ts';
import { farAddress, type Link } from '../../rig/network/link.ts';
import type { SottoServer } from '../../rig/peers/sotto-server.ts';
import type { SettingsFile } from '../../rig/sotto-service.ts';
import { zone } from '../../rig/zones/far.ts';
import { type Answers, ask, type Door, inSequence, type Timetable } from './ask.ts';
import type { Program, Running } from './program.ts';
import {
  type OfUpstream,
  type RunningSotto,
  type SottoTransport,
  startSotto,
} from './programs/sotto.ts';

/** as resolvers of operating systems do, but sooner: most wait for five seconds */
const retryMs = 1000;
const yardstickQueries = 15;
/** dnsdist has ten threads with a connection each */
const warmingQueries = 12;

export class Stage {
  readonly lab: Lab;
  readonly link: Link;
  readonly upstream: SottoServer;
  /** the server itself, in cleartext: the yardstick */
  readonly plain: Door = { address: farAddress.v4, port: 53 };
  #ports = 5300;
  #names = 0;

  constructor(lab: Lab, link: Link, upstream: SottoServer) {
    this.lab = lab;
    this.link = link;
    this.upstream = upstream;
  }

  /** The upstream as programs need it in their settings. */
  get #trusted(): TrustedServer {
    const { address, name, ca } = this.upstream.upstream('far');
    return { address, port: 853, name, ca };
  }

  /** The program listens and has had no query yet. */
  async start(program: Program): Promise<Running> {
    const directory = await mkdtemp(join(this.lab.directory, 'p-'));
    return await program.start({
      lab: this.lab,
      machine: this.link.client,
      directory,
      // it is alone in its network, so any port is free
      port: this.#ports++,
      upstream: this.#trusted,
    });
  }

  /** Sotto with another transport or other settings than the one that is compared. */
  async sotto(
    transport: SottoTransport,
    settings: SettingsFile = {},
    ofUpstream: OfUpstream = {},
  ): Promise<RunningSotto> {
    const { lab, link } = this;
    const seat = { lab, machine: link.client, port: this.#ports++, upstream: this.#trusted };
    return await startSotto(seat, transport, settings, ofUpstream);
  }

  /** Both kernels allow it; programs that want it must request it, too. */
  async allowFastOpen(allowed: boolean): Promise<void> {
    for (const machine of [this.link.client, this.link.far])
      await machine.sysctl('net.ipv4.tcp_fastopen', allowed ? 3 : 0);
  }

  /** One program after the other, so that none is slowed by another's start. */
  async startAll(programs: readonly Program[]): Promise<Running[]> {
    const running: Running[] = [];
    for (const program of programs) running.push(await this.start(program));
    return running;
  }

  /** Names that were never queried before. */
  names(count: number): string[] {
    return Array.from({ length: count }, () => `n${this.#names++}.${zone}`);
  }

  async ask(door: Door, timetable: Timetable): Promise<Answers> {
    return await ask(this.link.client, door, { retryMs, ...timetable });
  }

  /** Queries one new name; milliseconds. */
  async askOne(door: Door): Promise<number> {
    const { ms } = await this.ask(door, inSequence(this.names(1)));
    const [taken] = ms;
    if (taken === null || taken === undefined)
      throw new Error(`${door.address}:${door.port} did not answer\n${this.lab.transcripts()}`);
    return taken;
  }

  /** Waits until every connection that it keeps is open. */
  async warm({ door }: Running): Promise<void> {
    await this.ask(door, inSequence(this.names(warmingQueries)));
  }

  /** What a query costs over plain UDP on this wire, now. */
  async udpMs(): Promise<number> {
    const { ms } = await this.ask(this.plain, inSequence(this.names(yardstickQueries)));
    return middle(ms);
  }

  /** Ends the connections as the server would; both sides notice half a round trip later. */
  async cut(): Promise<void> {
    await this.link.wire.cut();
    await pause(50);
  }
}

/** Of the queries that had a response. */
export function middle(values: readonly (number | null)[]): number {
  const found = median(values.filter((value) => value !== null));
  if (found === null) throw new Error('no query was answered');
  return found;
}

/** One program in one round: started afresh, measured in the order of the figures, stopped. */
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../e2e/rig/ports.ts';
import type { Program } from '../e2e/rig/process.ts';
import { dnsperf } from './dnsperf.ts';
import type { FigureKey, Group, ShareKey } from './figures.ts';
import { firstAnswer } from './first-answer.ts';
import type { NagleUpstream } from './nagle-upstream.ts';
import type { LogCount, Peer, Place, TrustedServer } from './peer.ts';
import { ProcessTree } from './process-tree.ts';
import type { Queries } from './queries.ts';
import { askInPairs, askInSequence } from './sequential.ts';
import { type Drops, dropsSoFar } from './socket-drops.ts';
import type { Upstream } from './upstream.ts';

export interface Bench {
  directory: string;
  upstream: Upstream;
  /** the upstream for which pairs are measured */
  nagle: NagleUpstream | null;
  queries: Queries;
  groups: ReadonlySet<Group>;
  /** length of the cached and the forwarded run */
  seconds: number;
}

export interface Visit {
  peer: string;
  round: number;
  values: Partial<Record<FigureKey, number>>;
  shares: Partial<Record<ShareKey, number>>;
  /** runs in which queries were lost or answered with an error */
  failures: Failure[];
  /** why the program could not be measured to the end */
  error?: string;
}

export interface Failure {
  run: string;
  asked: number;
  lost: number;
  /** responses that are errors or empty */
  failed: number;
  /** datagrams that the kernel dropped meanwhile */
  dropped: Drops;
}

const settleMs = 1000;
/** By then Sotto has given back what its start took (give-back-memory.ts). */
const startedMs = 25_000;
const fillSeconds = 60;

export async function visit(
  peer: Peer,
  round: number,
  bench: Bench,
  seen: (key: FigureKey, value: number) => void,
): Promise<Visit> {
  const measured = new Measurement(peer, round, bench, seen);
  try {
    await measured.run();
  } catch (error) {
    measured.visit.error = error instanceof Error ? error.message : String(error);
  }
  return measured.visit;
}

class Measurement {
  readonly visit: Visit;
  readonly #peer: Peer;
  readonly #bench: Bench;
  readonly #seen: (key: FigureKey, value: number) => void;
  #place: Place = {
    directory: '',
    port: 0,
    upstream: { address: '127.0.0.1', port: 0, name: '', ca: '' },
  };
  #tree = new ProcessTree(process.pid);

  constructor(
    peer: Peer,
    round: number,
    bench: Bench,
    seen: (key: FigureKey, value: number) => void,
  ) {
    this.visit = { peer: peer.id, round, values: {}, shares: {}, failures: [] };
    this.#peer = peer;
    this.#bench = bench;
    this.#seen = seen;
  }

  async run(): Promise<void> {
    await this.#with(this.#bench.upstream.server, async (started) => {
      if (this.#wants('start')) this.#note('start', started);
      await this.#measure();
    });
    const { nagle } = this.#bench;
    if (nagle === null || !this.#peer.forwards || this.#peer.overHttps) return;
    await this.#with(nagle.server, () => this.#pairs());
  }

  /** Starts the program anew. `measure` gets the milliseconds to its first response. */
  async #with(upstream: TrustedServer, measure: (started: number) => Promise<void>): Promise<void> {
    const { program, started } = await this.#start(upstream);
    try {
      await measure(started);
      if (program.exit !== undefined) throw new Error('it ended while it was measured');
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${program.transcript().slice(-2000)}`);
    } finally {
      await program.stop();
    }
  }

  async #start(upstream: TrustedServer): Promise<{ program: Program; started: number }> {
    this.#place = {
      directory: await mkdtemp(join(this.#bench.directory, `${this.#peer.id}-`)),
      port: await freePort(),
      upstream,
    };
    const began = performance.now();
    const program = await this.#peer.start(this.#place);
    const answered = await firstAnswer(this.#place.port, program);
    this.#tree = new ProcessTree(program.pid);
    return { program, started: answered - began };
  }

  async #measure(): Promise<void> {
    const { caches, forwards } = this.#peer;
    if (this.#wants('memory')) await this.#memoryIdle();
    if (this.#wants('cached')) await this.#cached();
    if (this.#wants('memory') && caches && forwards) await this.#memoryFull();
    if (this.#wants('sequential') && forwards) await this.#sequential();
    if (this.#wants('forwarded') && forwards) await this.#forwarded();
  }

  async #memoryIdle(): Promise<void> {
    await pause(startedMs);
    await this.#tree.settled();
    this.#note('memoryIdle', await this.#tree.residentMegabytes());
  }

  async #cached(): Promise<void> {
    const { warm } = this.#bench.queries;
    for (const pass of ['warm-up', 'second warm-up'])
      await this.#load(pass, { queries: warm, seconds: fillSeconds, once: true });
    await this.#tree.settled();
    const run = { queries: warm, seconds: this.#bench.seconds, once: false };
    const { rate, cpu, upstream, logged } = await this.#load('cached', run);
    this.#note('cached', rate);
    this.#note('cachedCpu', cpu);
    this.visit.shares.upstreamWhileCached = upstream;
    if (logged !== null) this.visit.shares.loggedWhileCached = logged;
  }

  async #memoryFull(): Promise<void> {
    const { filling, sample } = this.#bench.queries;
    await this.#load('filling', { queries: filling, seconds: fillSeconds, once: true });
    await pause(settleMs);
    this.#note('memoryFull', await this.#tree.residentMegabytes());
    const again = await this.#load('sample', {
      queries: sample,
      seconds: fillSeconds,
      once: true,
    });
    this.visit.shares.held = 1 - again.upstream;
  }

  async #sequential(): Promise<void> {
    await this.#tree.settled();
    const dropped = await dropsSoFar(this.#place.port);
    const { asked, lost, failed, mean } = await askInSequence(this.#place.port);
    await this.#judge('sequential', { sent: asked, lost, failed }, dropped);
    this.#note('sequential', mean);
  }

  async #pairs(): Promise<void> {
    await this.#tree.settled();
    const dropped = await dropsSoFar(this.#place.port);
    const { asked, lost, failed, median } = await askInPairs(this.#place.port);
    await this.#judge('pairs', { sent: asked, lost, failed }, dropped);
    this.#note('pair', median);
  }

  async #forwarded(): Promise<void> {
    const run = {
      queries: this.#bench.queries.unique,
      seconds: this.#bench.seconds,
      once: true,
    };
    const { rate, cpu, upstream, logged } = await this.#load('forwarded', run);
    this.#note('forwarded', rate);
    this.#note('forwardedCpu', cpu);
    this.visit.shares.upstreamWhileForwarded = upstream;
    if (logged !== null) this.visit.shares.loggedWhileForwarded = logged;
    this.#note('memoryAfter', await this.#tree.residentMegabytes());
  }

  /** Runs dnsperf, and measures the processor time until the program is at rest again. */
  async #load(name: string, run: { queries: string; seconds: number; once: boolean }) {
    const loggedBefore = await this.#peer.logged?.(this.#place);
    const dropped = await dropsSoFar(this.#place.port);
    const upstreamBefore = await this.#bench.upstream.answered();
    const cpuBefore = await this.#tree.cpuSeconds();
    const load = await dnsperf({ port: this.#place.port, ...run });
    await this.#tree.settled();
    const cpuSeconds = (await this.#tree.cpuSeconds()) - cpuBefore;
    const upstream = (await this.#bench.upstream.answered()) - upstreamBefore;
    await this.#judge(name, load, dropped);
    if (load.answered === 0) throw new Error(`no answer in the ${name} run`);
    return {
      rate: load.answered / load.seconds,
      cpu: (cpuSeconds / load.answered) * 1e6,
      upstream: upstream / load.sent,
      logged: shareLogged(loggedBefore, await this.#peer.logged?.(this.#place)),
    };
  }

  async #judge(
    run: string,
    { sent, lost, failed }: { sent: number; lost: number; failed: number },
    before: Drops,
  ): Promise<void> {
    if (lost === 0 && failed === 0) return;
    const after = await dropsSoFar(this.#place.port);
    const dropped = {
      atPort: after.atPort - before.atPort,
      everywhere: after.everywhere - before.everywhere,
    };
    this.visit.failures.push({ run, asked: sent, lost, failed, dropped });
  }

  #wants(group: Group): boolean {
    return this.#bench.groups.has(group);
  }

  #note(key: FigureKey, value: number): void {
    this.visit.values[key] = value;
    this.#seen(key, value);
  }
}

function shareLogged(before: LogCount | undefined, after: LogCount | undefined): number | null {
  if (before === undefined || after === undefined || after.due === before.due) return null;
  return (after.written - before.written) / (after.due - before.due);
}

/** A client that sends queries all the time, and the result of each. */
import { eventually, patienceMs } from '../../rig/eventually.ts';
import type { Lab } from '../../rig/lab.ts';
import { rcodes } from '../../rig/message.ts';
import type { Namespace } from '../../rig/network/namespace.ts';
import type { Program } from '../../rig/process.ts';
import type { Endpoint } from '../../rig/raw-client.ts';
import { zone } from '../../rig/zones/far.ts';

export interface Outcome {
  number: number;
  /** when it was sent, unix milliseconds */
  at: number;
  afterMs: number;
  /** null: no response at all */
  rcode: number | null;
}

const rate = 20;
const program = new URL('./asker.ts', import.meta.url).pathname;

export class SteadyQueries {
  readonly #program: Program;
  readonly #outcomes: Outcome[] = [];
  #readTo = 0;

  static async start(lab: Lab, client: Namespace, to: Endpoint): Promise<SteadyQueries> {
    const args = [program, to.address, String(to.port), zone, String(rate)];
    return lab.adopt(new SteadyQueries(await client.start(process.execPath, args)));
  }

  private constructor(program: Program) {
    this.#program = program;
  }

  /** Queries that were sent from then on and have a result, in the order of the results. */
  since(at: number): Outcome[] {
    return this.#all().filter((outcome) => outcome.at >= at);
  }

  /** Waits until so many queries that are sent from now on have this outcome, or any. */
  async further(
    count: number,
    rcode?: keyof typeof rcodes,
    deadlineMs = patienceMs,
  ): Promise<void> {
    const from = Date.now();
    const wanted = rcode === undefined ? null : rcodes[rcode];
    await eventually(
      `${count} further queries with ${rcode ?? 'any answer'}`,
      () =>
        this.since(from).filter((one) => wanted === null || one.rcode === wanted).length >= count,
      deadlineMs,
    );
  }

  /** Sends no more; resolves with all outcomes, including those without a response. */
  async finish(): Promise<Outcome[]> {
    await this.#program.stop();
    return this.#all();
  }

  async stop(): Promise<void> {
    await this.#program.stop('SIGKILL');
  }

  transcript(): string {
    return `${this.#program.name}: ${this.#all().length} outcomes\n${this.#program.stderr}`;
  }

  #all(): Outcome[] {
    const { stdout } = this.#program;
    const end = stdout.lastIndexOf('\n') + 1;
    const lines = stdout.slice(this.#readTo, end).split('\n').filter(Boolean);
    this.#outcomes.push(...lines.map((line) => JSON.parse(line) as Outcome));
    this.#readTo = end;
    return this.#outcomes;
  }
}

/** The processor time of both ends of a wire. */
import { type ProcessorTime, passed, processorTime } from './processor-time.ts';
import type { Stage } from './stage.ts';

/** Milliseconds of processor time on each end. */
export interface Cost {
  stub: number;
  server: number;
}

export class Meter {
  readonly #stage: Stage;
  readonly #stub: number;

  /** The stub and the server stay the same processes during a measurement. */
  constructor(stage: Stage, stub: number) {
    this.#stage = stage;
    this.#stub = stub;
  }

  async during(body: () => Promise<unknown>): Promise<Cost> {
    const before = await this.#soFar();
    await body();
    const after = await this.#soFar();
    return { stub: passed(before.stub, after.stub), server: passed(before.server, after.server) };
  }

  async #soFar(): Promise<Record<keyof Cost, ProcessorTime>> {
    return {
      stub: await processorTime(this.#stub),
      server: await processorTime(this.#stage.upstream.pid),
    };
  }
}

export function divided({ stub, server }: Cost, by: number): Cost {
  return { stub: stub / by, server: server / by };
}

export function less(cost: Cost, { stub, server }: Cost): Cost {
  return { stub: cost.stub - stub, server: cost.server - server };
}

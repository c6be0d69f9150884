/** Table VI of the T-DNS report: what a handshake and a question cost in processor time, on both ends. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Door, inSequence } from '../ask.ts';
import type { Figure, Sample } from '../figure.ts';
import { processorMs } from '../processor-time.ts';
import type { Site } from '../site.ts';

const rows = {
  full: 'full handshake',
  resumed: 'resumed handshake',
  early: 'early-data handshake',
  question: 'question, reused',
  ratio: 'full ÷ resumed',
} as const;
const atStub = 'Sotto';
const atServer = 'sotto-server';
const handshakes = { full: 15, resumed: 40 };
const questions = 1500;
const restMs = 1500;
/** what an ended connection brings about is not part of the next one */
const settleMs = 100;

/** milliseconds on either end */
interface Cost {
  stub: number;
  server: number;
}

export const handshakeCpu: Figure = {
  id: 'handshake-cpu',
  title: 'Table VI: processor time of handshakes and questions',
  how: `The processor time of both processes over ${handshakes.full} full handshakes (the server is restarted before each and has lost its ticket keys), ${handshakes.resumed} resumed ones (the connection is cut before each) and ${questions} questions one by one, on a wire without delay. The question that follows a handshake is subtracted, and what the processes need at rest. Everything else counts: system calls, and the service's own work; the query log is off.`,
  unit: 'ms',
  columns: [atStub, atServer],
  published: {
    [rows.full]: '25.8 (OpenSSL), 8.0 (GnuTLS)',
    [rows.resumed]: '1.2, 1.4',
    [rows.question]: 'about 1',
    [rows.ratio]: '21, 5.7',
  },
  reach: [
    { row: rows.full, column: atStub, atMost: 8, needs: 'a cheaper handshake' },
    { row: rows.resumed, column: atStub, atMost: 1.2, needs: 'a cheaper handshake' },
    { row: rows.question, column: atStub, atMost: 1, needs: 'a cheaper question' },
    {
      row: rows.early,
      column: atStub,
      atMost: 1.2,
      needs: 'early data in engine and sotto-server',
    },
  ],
  async measure(stage) {
    return await stage.at({ rttMs: 0 }, async (site) => {
      const { door, pid } = await site.sotto('dot', { queryLog: { mode: 'off' } });
      const meter = await Meter.start(site, pid);
      const question = await costOfQuestion(site, door, meter);
      const after = async (end: () => Promise<void>, times: number) =>
        less(await costAfter(end, times, site, door, meter), question);
      const resumed = await after(() => site.cut(), handshakes.resumed);
      const full = await after(() => site.upstream.restart(), handshakes.full);
      const ratio = { stub: full.stub / resumed.stub, server: full.server / resumed.server };
      return {
        samples: [
          ...both(rows.full, full),
          ...both(rows.resumed, resumed),
          ...both(rows.question, question),
          ...both(rows.ratio, ratio),
        ],
      };
    });
  },
};

/** Processor time of both, over and above what they need anyway. */
class Meter {
  readonly #site: Site;
  readonly #stub: number;
  /** of a millisecond */
  #atRest: Cost = { stub: 0, server: 0 };

  static async start(site: Site, stub: number): Promise<Meter> {
    const meter = new Meter(site, stub);
    const cost = await meter.during(() => pause(restMs));
    meter.#atRest = divided(cost, restMs);
    return meter;
  }

  private constructor(site: Site, stub: number) {
    this.#site = site;
    this.#stub = stub;
  }

  async during(body: () => Promise<unknown>): Promise<Cost> {
    const start = performance.now();
    const before = await this.#soFar();
    await body();
    const taken = less(await this.#soFar(), before);
    const ms = performance.now() - start;
    return less(taken, { stub: this.#atRest.stub * ms, server: this.#atRest.server * ms });
  }

  async #soFar(): Promise<Cost> {
    const { upstream } = this.#site;
    return { stub: await processorMs(this.#stub), server: await processorMs(upstream.pid) };
  }
}

async function costOfQuestion(site: Site, door: Door, meter: Meter): Promise<Cost> {
  await site.ask(door, inSequence(site.names(300)));
  const cost = await meter.during(() => site.ask(door, inSequence(site.names(questions))));
  return divided(cost, questions);
}

/** Of a question behind `end`, which ends the connection. */
async function costAfter(
  end: () => Promise<void>,
  times: number,
  site: Site,
  door: Door,
  meter: Meter,
): Promise<Cost> {
  const sum: Cost = { stub: 0, server: 0 };
  for (let done = 0; done < times; done++) {
    await end();
    await pause(settleMs);
    const { stub, server } = await meter.during(() => site.askOne(door));
    sum.stub += stub;
    sum.server += server;
  }
  return divided(sum, times);
}

function divided({ stub, server }: Cost, by: number): Cost {
  return { stub: stub / by, server: server / by };
}

function less(cost: Cost, { stub, server }: Cost): Cost {
  return { stub: cost.stub - stub, server: cost.server - server };
}

function both(row: string, { stub, server }: Cost): Sample[] {
  return [
    { row, column: atStub, value: stub },
    { row, column: atServer, value: server },
  ];
}

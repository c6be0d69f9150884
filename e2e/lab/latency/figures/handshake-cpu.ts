/** Table VI of the T-DNS report: what a handshake and a question cost in processor time, on both ends. */
import { setTimeout as pause } from 'node:timers/promises';
import { inSequence } from '../ask.ts';
import type { Figure, Sample } from '../figure.ts';
import { processorMs } from '../processor-time.ts';
import type { RunningSotto } from '../programs/sotto.ts';
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

/** milliseconds on either end */
interface Cost {
  stub: number;
  server: number;
}

export const handshakeCpu: Figure = {
  id: 'handshake-cpu',
  title: 'Table VI: processor time of handshakes and questions',
  how: `The processor time of both processes over ${handshakes.full} full handshakes (the server is restarted before each and has lost its ticket keys), ${handshakes.resumed} resumed ones (the connection is cut before each) and ${questions} questions one by one, on a wire without delay. The question that follows a handshake is subtracted. Everything is counted: system calls, and the service's own work; the query log is off.`,
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
      const running = await site.sotto('dot', { queryLog: { mode: 'off' } });
      const question = await costOfQuestion(site, running);
      const resumed = less(await costOfResumed(site, running), question);
      const full = less(await costOfFull(site, running), question);
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

async function costOfQuestion(site: Site, { door, pid }: RunningSotto): Promise<Cost> {
  await site.ask(door, inSequence(site.names(300)));
  const cost = await during(site, pid, async () => {
    await site.ask(door, inSequence(site.names(questions)));
  });
  return divided(cost, questions);
}

async function costOfResumed(site: Site, { door, pid }: RunningSotto): Promise<Cost> {
  const cost = await during(site, pid, async () => {
    for (let done = 0; done < handshakes.resumed; done++) {
      await site.cut();
      await site.askOne(door);
    }
  });
  return divided(cost, handshakes.resumed);
}

async function costOfFull(site: Site, { door, pid }: RunningSotto): Promise<Cost> {
  const sum: Cost = { stub: 0, server: 0 };
  for (let done = 0; done < handshakes.full; done++) {
    await site.upstream.restart();
    await pause(50);
    const { stub, server } = await during(site, pid, async () => {
      await site.askOne(door);
    });
    sum.stub += stub;
    sum.server += server;
  }
  return divided(sum, handshakes.full);
}

async function during(site: Site, stub: number, body: () => Promise<void>): Promise<Cost> {
  const pids = [stub, site.upstream.pid] as const;
  const [stubBefore, serverBefore] = [await processorMs(pids[0]), await processorMs(pids[1])];
  await body();
  return {
    stub: (await processorMs(pids[0])) - stubBefore,
    server: (await processorMs(pids[1])) - serverBefore,
  };
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

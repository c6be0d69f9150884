/** Table VI of the T-DNS report: what a handshake and a query cost in processor time, on both ends. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Door, inSequence } from '../ask.ts';
import type { Figure, Sample } from '../figure.ts';
import { type Cost, divided, less, Meter } from '../meter.ts';
import type { OfUpstream, RunningSotto } from '../programs/sotto.ts';
import type { Round } from '../round.ts';
import type { Stage } from '../stage.ts';

const rows = {
  full: 'full handshake',
  resumed: 'resumed handshake',
  early: 'early-data handshake',
  query: 'query, reused',
  ratio: 'full ÷ resumed',
} as const;
const atStub = 'Sotto';
const atServer = 'sotto-server';
const handshakes = { full: 12, resumed: 25, early: 25 };
const queries = 1500;
const settleMs = 60;
const afterwardsMs = 1000;
/** a service that has just started works for a while without queries */
const startedMs = 3000;

export const handshakeCpu: Figure = {
  id: 'handshake-cpu',
  title: 'Table VI: processor time of handshakes and queries',
  how: `The processor time of both processes over ${handshakes.full} ends of a connection with a full handshake behind them (the server is restarted and has lost its ticket keys), ${handshakes.resumed} with a resumed one (the connection is cut), ${handshakes.early} that carry the query as early data (of a service that has it on and keeps nothing warm) and ${queries} queries one by one, on a wire without delay. The cost of as much time with as many queries and no handshake, a second later, is subtracted. Everything else is included: system calls, noticing that the connection ended, the service's own work. The query log is off.`,
  unit: 'ms',
  columns: [atStub, atServer],
  published: {
    [rows.full]: '25.8 (OpenSSL), 8.0 (GnuTLS)',
    [rows.resumed]: '1.2, 1.4',
    [rows.query]: 'about 1',
    [rows.ratio]: '21, 5.7',
  },
  reach: [
    { row: rows.full, column: atStub, atMost: 8, needs: 'a cheaper handshake' },
    {
      row: rows.resumed,
      column: atStub,
      atMost: 1.2,
      needs: 'a cheaper handshake',
    },
    { row: rows.query, column: atStub, atMost: 1, needs: 'a cheaper query' },
    { row: rows.early, column: atStub, atMost: 1.2, needs: 'what the resumed handshake needs' },
  ],
  async measure(round) {
    const early = await costOfEarlyData(round);
    return await round.at({ rttMs: 0 }, async (stage) => {
      const running = await started(stage);
      const meter = new Meter(stage, running.pid);
      const query = await costOfQuery(stage, running.door, meter);
      const resumed = await costOfHandshake('resumed', stage, running, meter);
      const full = await costOfHandshake('full', stage, running, meter);
      const ratio = { stub: full.stub / resumed.stub, server: full.server / resumed.server };
      return {
        samples: [
          ...both(rows.full, full),
          ...both(rows.resumed, resumed),
          ...both(rows.early, early),
          ...both(rows.query, query),
          ...both(rows.ratio, ratio),
        ],
      };
    });
  },
};

/** Each handshake is made for the next query, and no other one beside it. */
const quiet = { queryLog: { mode: 'off' }, connections: { keepWarm: false } };

async function started(stage: Stage, ofUpstream: OfUpstream = {}): Promise<RunningSotto> {
  const running = await stage.sotto('dot', quiet, ofUpstream);
  await stage.ask(running.door, inSequence(stage.names(300)));
  await pause(startedMs);
  return running;
}

async function costOfQuery(stage: Stage, door: Door, meter: Meter): Promise<Cost> {
  const cost = await meter.during(() => stage.ask(door, inSequence(stage.names(queries))));
  return divided(cost, queries);
}

async function costOfEarlyData(round: Round): Promise<Cost> {
  return await round.at({ rttMs: 0, earlyData: true }, async (stage) => {
    const running = await started(stage, { earlyData: true });
    return await costOfHandshake('early', stage, running, new Meter(stage, running.pid));
  });
}

/**
 * The query that follows the end of a connection uses a new one, whatever dials it, and when. Programs also work without queries, and
 * for a while after a handshake; so from all that this took, as much time with as many queries is subtracted, measured when that
 * work is done.
 */
async function costOfHandshake(
  how: keyof typeof handshakes,
  stage: Stage,
  running: RunningSotto,
  meter: Meter,
): Promise<Cost> {
  const count = handshakes[how];
  const end = () => (how === 'full' ? stage.upstream.restart() : stage.cut());
  const askAfter = (ms: number) => async () => {
    await pause(ms);
    await stage.askOne(running.door);
  };
  const before = await dialled(running);
  const began = performance.now();
  const servers: number[] = [];
  const { stub } = await meter.during(async () => {
    for (let done = 0; done < count; done++) {
      await end();
      // of the server that runs now, without its start
      servers.push((await meter.during(askAfter(settleMs))).server);
    }
  });
  const eachMs = (performance.now() - began) / count;
  const after = await dialled(running);
  const [dials, resumptions] = [after.dials - before.dials, after.resumptions - before.resumptions];
  if (resumptions !== (how === 'full' ? 0 : dials))
    throw new Error(`of ${dials} handshakes that were to be ${how}, ${resumptions} were resumed`);
  await pause(afterwardsMs);
  const without = await meter.during(async () => {
    for (let done = 0; done < count; done++) await askAfter(eachMs)();
  });
  const server = servers.reduce((sum, each) => sum + each, 0);
  return divided(less({ stub, server }, without), dials);
}

async function dialled({ service }: RunningSotto): Promise<{ dials: number; resumptions: number }> {
  const [upstream] = (await service.status()).upstreams;
  if (upstream === undefined) throw new Error('the service has no upstream');
  return upstream;
}

function both(row: string, { stub, server }: Cost): Sample[] {
  return [
    { row, column: atStub, value: stub },
    { row, column: atServer, value: server },
  ];
}

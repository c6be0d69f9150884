/** Table VI of the T-DNS report: what a handshake and a query cost in processor time, on both ends. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Door, inSequence } from '../ask.ts';
import type { Figure, Sample } from '../figure.ts';
import { type Cost, divided, less, Meter, sum } from '../meter.ts';
import type { RunningSotto } from '../programs/sotto.ts';
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

export const handshakeCpu: Figure = {
  id: 'handshake-cpu',
  title: 'Table VI: processor time of handshakes and queries',
  how: `The processor time of both processes over ${handshakes.full} ends of a connection with a full handshake behind them (the server is restarted and has lost its ticket keys), ${handshakes.resumed} with a resumed one (the connection is cut), ${handshakes.early} that carry the query as early data (of a service that has it on and keeps nothing warm) and ${queries} queries one by one, on a wire without delay. The cost of the same time and query without a handshake is subtracted. Everything else is included: system calls, noticing that the connection ended, the service's own work. The query log is off.`,
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
      needs:
        'less of Node for one connection: its status is read for each of three changes (forwarded-path.md)',
    },
    { row: rows.query, column: atStub, atMost: 1, needs: 'a cheaper query' },
    { row: rows.early, column: atStub, atMost: 1.2, needs: 'what the resumed handshake needs' },
  ],
  async measure(round) {
    const early = await costOfEarlyData(round);
    return await round.at({ rttMs: 0 }, async (stage) => {
      const running = await stage.sotto('dot', quiet);
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

async function costOfQuery(stage: Stage, door: Door, meter: Meter): Promise<Cost> {
  await stage.ask(door, inSequence(stage.names(300)));
  const cost = await meter.during(() => stage.ask(door, inSequence(stage.names(queries))));
  return divided(cost, queries);
}

async function costOfEarlyData(round: Round): Promise<Cost> {
  return await round.at({ rttMs: 0, earlyData: true }, async (stage) => {
    const running = await stage.sotto('dot', quiet, { earlyData: true });
    await stage.ask(running.door, inSequence(stage.names(300)));
    return await costOfHandshake('early', stage, running, new Meter(stage, running.pid));
  });
}

/** The query that follows the end of the connection uses a new one, whatever dials it, and when. */
async function costOfHandshake(
  how: keyof typeof handshakes,
  stage: Stage,
  running: RunningSotto,
  meter: Meter,
): Promise<Cost> {
  const end = () => (how === 'full' ? stage.upstream.restart() : stage.cut());
  const before = await dialled(running);
  const costs: Cost[] = [];
  for (let done = 0; done < handshakes[how]; done++)
    costs.push(await costOfOne(end, stage, running.door, meter));
  const after = await dialled(running);
  const [dials, resumptions] = [after.dials - before.dials, after.resumptions - before.resumptions];
  if (resumptions !== (how === 'full' ? 0 : dials))
    throw new Error(`of ${dials} handshakes that were to be ${how}, ${resumptions} were resumed`);
  return divided(sum(costs), dials);
}

/**
 * From it the same time and query without a handshake, measured right after it, is subtracted, because programs also work without
 * queries.
 */
async function costOfOne(
  end: () => Promise<void>,
  stage: Stage,
  door: Door,
  meter: Meter,
): Promise<Cost> {
  const askAfter = (ms: number) => async () => {
    await pause(ms);
    await stage.askOne(door);
  };
  const start = performance.now();
  let server = 0;
  const { stub } = await meter.during(async () => {
    await end();
    // of the server that runs now, without its start
    ({ server } = await meter.during(askAfter(settleMs)));
  });
  const without = await meter.during(askAfter(performance.now() - start));
  return less({ stub, server }, without);
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

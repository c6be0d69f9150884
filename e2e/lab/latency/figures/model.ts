/** The report's model with what our connections cost, at its distances. */
import { inSequence } from '../ask.ts';
import { overhead, publishedPath } from '../equations.ts';
import type { Figure, Sample } from '../figure.ts';
import { ours } from '../rows.ts';
import { middle, type Stage } from '../stage.ts';

const distances = [5, 20, 40, 80];
const dialled = 3;
const published = 'the report';
const column = (rttMs: number) => `${rttMs} ms`;
const rows = {
  ours,
  published,
  resumed: 'new connection, resumed, ms',
  full: 'new connection, full, ms',
  query: 'query on it, ms',
} as const;

export const model: Figure = {
  id: 'model',
  title: 'The model: mean time over that with UDP everywhere',
  how: `Equations 1 to 4 with the report's parameters for reuse (0.72), resumption (0.9858), the recursive's cache (0.8) and its queries (7 at 40 ms); what a new connection and a query on it cost is measured through the stub at each distance (medians of ${dialled}; a full handshake after the server lost its ticket keys; keep-warm off, Fast Open allowed by both kernels, as the report counts it). The report publishes 5 and 20 ms; its equations give the rest.`,
  unit: '% over UDP',
  columns: distances.map(column),
  reach: distances.map((rttMs) => ({
    row: rows.ours,
    column: column(rttMs),
    atMost: { row: published, column: column(rttMs) },
    needs: 'cheaper connections; and keep-warm counted, which the model knows as more reuse',
  })),
  async measure(round) {
    const samples: Sample[] = [];
    for (const rttMs of distances)
      await round.at({ rttMs }, async (stage) => {
        const path = { rttMs: await stage.udpMs(), ...(await measurePath(stage)) };
        const add = (row: string, value: number) =>
          samples.push({ row, column: column(rttMs), value });
        add(rows.ours, 100 * overhead(path));
        add(published, 100 * overhead(publishedPath(rttMs)));
        add(rows.resumed, path.resumedMs);
        add(rows.full, path.fullMs);
        add(rows.query, path.queryMs);
      });
    return { samples };
  },
};

async function measurePath(stage: Stage) {
  await stage.allowFastOpen(true);
  // with keep-warm the connection would be open before the query whose cost is measured
  const { door } = await stage.sotto('dot', { connections: { keepWarm: false } });
  await stage.ask(door, inSequence(stage.names(3)));
  const queryMs = middle((await stage.ask(door, inSequence(stage.names(dialled)))).ms);
  const [resumed, full]: [number[], number[]] = [[], []];
  for (let done = 0; done < dialled; done++) {
    await stage.cut();
    resumed.push(await stage.askOne(door));
  }
  for (let done = 0; done < dialled; done++) {
    await stage.upstream.restart();
    full.push(await stage.askOne(door));
  }
  return {
    queryMs,
    resumedMs: middle(resumed) - queryMs,
    fullMs: middle(full) - queryMs,
  };
}

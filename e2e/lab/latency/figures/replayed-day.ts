/** Every query of a day of browsing, with caches, pauses and closed connections. */

import { zone } from '../../../rig/zones/far.ts';
import type { Door } from '../ask.ts';
import { dayOf, idleSeconds } from '../browsing-day.ts';
import type { Figure, Spread } from '../figure.ts';
import { plainUdp } from '../rows.ts';
import type { Stage } from '../stage.ts';

const seconds = 30;
/** ms from one program's day to the next one's */
const apartMs = 140;
const patienceMs = 5000;
const withoutCache = `${plainUdp}, no cache`;
/** every query of the day, for the curves */
const all = 'all';
const columns = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 } as const;

export const replayedDay: Figure = {
  id: 'replayed-day',
  title: 'A replayed day of browsing',
  how: `The same made-up day for every program, another one each round: pages with bursts of names (Zipf) and pauses to read, compressed to ${seconds} s; the server closes after ${idleSeconds} s, which stands for a minute. Programs begin ${apartMs} ms apart and share the wire. Every query counts, those from a cache as well; the curves hold all rounds.`,
  unit: '× UDP',
  columns: Object.keys(columns),
  quantiles: Object.entries(columns).map(([column, share]) => ({ column, of: all, share })),
  reach: [],
  async measure(round) {
    return await round.at({ idle: `${idleSeconds}s` }, async (stage) => {
      const yardstick = await stage.udpMs();
      const running = await stage.startAll(round.programs);
      const doors = [{ title: withoutCache, door: stage.plain }, ...running];
      const spreads: Spread[] = await Promise.all(
        doors.map(async ({ title, door }, index) => {
          const ms = await replay(stage, door, round.number + 1, index * apartMs);
          return { row: title, of: all, values: ms.map((each) => each / yardstick) };
        }),
      );
      return { samples: [], spreads };
    });
  },
};

async function replay(stage: Stage, door: Door, seed: number, afterMs: number): Promise<number[]> {
  const queries = dayOf(seed, seconds).map(({ atMs, rank }) => ({
    atMs: atMs + afterMs,
    name: `stage${rank}.${zone}`,
  }));
  const { ms } = await stage.ask(door, { queries, each: 'at', patienceMs, retryMs: 0 });
  return ms.map((each) => each ?? patienceMs);
}

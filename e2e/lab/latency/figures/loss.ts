/** A bad radio link: bursts while packets are lost in both directions. */
import type { Door } from '../ask.ts';
import type { Figure, Spread } from '../figure.ts';
import { ours, plainUdp } from '../rows.ts';
import type { Stage } from '../stage.ts';

const losses = [0, 1, 3];
const names = 30;
export const bursts = 12;
const burstEveryMs = 1500;
/** ms from one program's burst to the next one's */
const apartMs = 150;
const patienceMs = 4000;
const column = (loss: number, quantity: 'p50' | 'p99') => `${loss} %, ${quantity}`;

export const loss: Figure = {
  id: 'loss',
  title: 'Loss: a burst of 30',
  how: `${bursts} bursts of ${names} new names a round while the wire loses packets in both directions; quantiles of all queries of all rounds. All programs share the wire, their bursts ${apartMs} ms apart. Over plain UDP the asker asks again after 1 s (most resolvers of operating systems wait for 5 s); each program does what it does by itself, and is given up after ${patienceMs / 1000} s.`,
  unit: '× UDP without loss',
  columns: losses.flatMap((each) => [column(each, 'p50'), column(each, 'p99')]),
  quantiles: losses.flatMap((each) => [
    { column: column(each, 'p50'), of: `${each} %`, share: 0.5 },
    { column: column(each, 'p99'), of: `${each} %`, share: 0.99 },
  ]),
  reach: losses.map((each) => ({
    row: ours,
    column: column(each, 'p99'),
    atMost: { row: 'stubby', column: column(each, 'p99') },
    needs: 'quicker recovery after loss',
  })),
  async measure(round) {
    return await round.at({}, async (stage) => {
      const yardstick = await stage.udpMs();
      const running = await stage.startAll(round.programs);
      await Promise.all(running.map((each) => stage.warm(each)));
      const doors = [{ title: plainUdp, door: stage.plain }, ...running];
      const spreads: Spread[] = [];
      for (const each of losses) {
        await stage.link.wire.set({ lossPercent: each });
        const taken = await Promise.all(
          doors.map(({ door }, index) => burstsOf(stage, door, index * apartMs)),
        );
        doors.forEach(({ title: row }, index) => {
          const values = (taken[index] ?? []).map((ms) => ms / yardstick);
          spreads.push({ row, of: `${each} %`, values });
        });
      }
      return { samples: [], spreads };
    });
  },
};

/** A query without a response counts as the whole time that the client waited. */
async function burstsOf(stage: Stage, door: Door, afterMs: number): Promise<number[]> {
  const queries = stage
    .names(bursts * names)
    .map((name, at) => ({ atMs: afterMs + Math.floor(at / names) * burstEveryMs, name }));
  // each query is sent once: a program repeats as it does by itself, and loopback loses nothing
  const retryMs = door === stage.plain ? 1000 : 0;
  const { ms } = await stage.ask(door, { queries, each: 'at', patienceMs, retryMs });
  return ms.map((each) => each ?? patienceMs);
}

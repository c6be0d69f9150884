/** The machine has just started: the program has listened for a second, and has had no query yet. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Figure, Sample } from '../figure.ts';
import { ours, plainUdp } from '../rows.ts';

const listeningMs = 1000;
const column = 'first query';

export const firstEver: Figure = {
  id: 'first-ever',
  title: 'The first query ever',
  how: `Each program gets its first query ${listeningMs / 1000} s after it began to listen.`,
  unit: '× UDP',
  columns: [column],
  published: { smartdns: '2.1', 'AdGuard dnsproxy': '3.1', unbound: '4.1' },
  reach: [
    {
      row: ours,
      column,
      atMost: 1.05,
      needs: 'a connection that is dialled when the service starts',
    },
  ],
  async measure(round) {
    return await round.at({}, async (stage) => {
      const yardstick = await stage.udpMs();
      const samples: Sample[] = [{ row: plainUdp, column, value: 1 }];
      for (const program of round.programs) {
        const { title, door } = await stage.start(program);
        await pause(listeningMs);
        samples.push({ row: title, column, value: (await stage.askOne(door)) / yardstick });
      }
      return { samples };
    });
  },
};

/** The upstream has closed the idle connection, and now a person asks the next question. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Figure, ours, plainUdp, type Sample } from '../figure.ts';
import { middle } from '../site.ts';

const idleSeconds = 2;
const pauseMs = 3000;
const pauses = 3;
const active = 'user active';

export const afterIdle: Figure = {
  id: 'after-idle',
  title: 'First question after the upstream closed the idle connection',
  how: `The server closes after ${idleSeconds} s; a question, a pause of ${pauseMs / 1000} s, a question, ${pauses} times. All programs pause together and are asked one after the other.`,
  unit: '× UDP',
  columns: [active],
  published: {
    stubby: '3.1',
    'AdGuard dnsproxy': '3.1',
    unbound: '4.2',
    dnsdist: '4.2',
    smartdns: '14.6',
  },
  reach: [
    { row: ours, column: active, atMost: 1.05, needs: 'keep-warm' },
    {
      row: ours,
      column: 'keep-warm off',
      atMost: 2.1,
      needs: 'keep-warm and its switch (until then "user active" is this one); Fast Open',
    },
    {
      row: ours,
      column: 'early data',
      atMost: 1.1,
      needs: 'early data in engine and sotto-server',
    },
  ],
  async measure(stage) {
    return await stage.at({ idle: `${idleSeconds}s` }, async (site) => {
      const running = await site.startAll(stage.programs);
      const taken = new Map<string, number[]>(running.map(({ title }) => [title, []]));
      for (const { door } of running) await site.askOne(door);
      for (let rest = 0; rest < pauses; rest++) {
        await pause(pauseMs);
        for (const { title, door } of running) taken.get(title)?.push(await site.askOne(door));
      }
      const yardstick = await site.udpMs();
      const samples: Sample[] = [{ row: plainUdp, column: active, value: 1 }];
      for (const [row, ms] of taken)
        samples.push({ row, column: active, value: middle(ms) / yardstick });
      return { samples };
    });
  },
};

/** The upstream has closed the idle connection, and now a person asks the next question. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Figure, Sample } from '../figure.ts';
import type { Running } from '../program.ts';
import { ours, plainUdp } from '../rows.ts';
import { middle, type Site } from '../site.ts';
import type { Stage } from '../stage.ts';

const idleSeconds = 2;
const pauseMs = 3000;
const pauses = 3;
const active = 'user active';
const cold = 'keep-warm off';
const early = 'early data';
const computing = 'less computing in the handshake: its round trips are spared';

export const afterIdle: Figure = {
  id: 'after-idle',
  title: 'First question after the upstream closed the idle connection',
  how: `The server closes after ${idleSeconds} s; a question, a pause of ${pauseMs / 1000} s, a question, ${pauses} times. All programs pause together and are asked one after the other. The other columns are Sotto without keep-warm (connections.keepWarm = false) on kernels that allow TCP Fast Open (net.ipv4.tcp_fastopen = 3), then with earlyData, too, on a server that takes it: what a question costs that finds nothing open.`,
  unit: '× UDP',
  columns: [active, cold, early],
  published: {
    stubby: '3.1',
    'AdGuard dnsproxy': '3.1',
    unbound: '4.2',
    dnsdist: '4.2',
    smartdns: '14.6',
  },
  reach: [
    { row: ours, column: active, atMost: 1.05, needs: 'nothing more' },
    { row: ours, column: cold, atMost: 2.1, needs: computing },
    { row: ours, column: early, atMost: 1.1, needs: computing },
  ],
  async measure(stage) {
    return { samples: [...(await ofAll(stage)), ...(await ofOursCold(stage))] };
  },
};

async function ofAll(stage: Stage): Promise<Sample[]> {
  return await stage.at({ idle: `${idleSeconds}s` }, async (site) => {
    const taken = await afterPauses(site, await site.startAll(stage.programs));
    const yardstick = await site.udpMs();
    return [
      { row: plainUdp, column: active, value: 1 },
      ...taken.map(([{ title }, ms]) => ({ row: title, column: active, value: ms / yardstick })),
    ];
  });
}

async function ofOursCold(stage: Stage): Promise<Sample[]> {
  return await stage.at({ idle: `${idleSeconds}s`, earlyData: true }, async (site) => {
    await site.allowFastOpen(true);
    const settings = { connections: { keepWarm: false } };
    const withoutEarly = await site.sotto('dot', settings);
    const withEarly = await site.sotto('dot', settings, { earlyData: true });
    const taken = await afterPauses(site, [withoutEarly, withEarly]);
    const yardstick = await site.udpMs();
    return taken.map(([which, ms]) => ({
      row: ours,
      column: which === withEarly ? early : cold,
      value: ms / yardstick,
    }));
  });
}

/** Medians of the questions after each pause. */
async function afterPauses(
  site: Site,
  running: readonly Running[],
): Promise<[which: Running, ms: number][]> {
  const taken = new Map<Running, number[]>(running.map((each) => [each, []]));
  for (const { door } of running) await site.askOne(door);
  for (let rest = 0; rest < pauses; rest++) {
    await pause(pauseMs);
    for (const [{ door }, ms] of taken) ms.push(await site.askOne(door));
  }
  return [...taken].map(([which, ms]) => [which, middle(ms)]);
}

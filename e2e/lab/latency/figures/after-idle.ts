/** The upstream has closed the idle connection, and now the next query comes. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Figure, Sample } from '../figure.ts';
import type { Running } from '../program.ts';
import type { Round } from '../round.ts';
import { ours, plainUdp } from '../rows.ts';
import { middle, type Stage } from '../stage.ts';

const idleSeconds = 2;
const pauseMs = 3000;
const pauses = 3;
const active = 'user active';
const cold = 'keep-warm off';
const early = 'early data';
const computing = 'less computing in the handshake: its round trips are spared';

export const afterIdle: Figure = {
  id: 'after-idle',
  title: 'First query after the upstream closed the idle connection',
  how: `The server closes after ${idleSeconds} s; a query, a pause of ${pauseMs / 1000} s, a query, ${pauses} times. All programs pause together and get their queries one after the other. The other columns are Sotto without keep-warm (connections.keepWarm = false) on kernels that allow TCP Fast Open (net.ipv4.tcp_fastopen = 3), then with earlyData, too, on a server that accepts it: the cost of a query that finds no open connection.`,
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
  async measure(round) {
    return { samples: [...(await ofAll(round)), ...(await ofOursCold(round))] };
  },
};

async function ofAll(round: Round): Promise<Sample[]> {
  return await round.at({ idle: `${idleSeconds}s` }, async (stage) => {
    const taken = await afterPauses(stage, await stage.startAll(round.programs));
    const yardstick = await stage.udpMs();
    return [
      { row: plainUdp, column: active, value: 1 },
      ...taken.map(([{ title }, ms]) => ({ row: title, column: active, value: ms / yardstick })),
    ];
  });
}

async function ofOursCold(round: Round): Promise<Sample[]> {
  return await round.at({ idle: `${idleSeconds}s`, earlyData: true }, async (stage) => {
    await stage.allowFastOpen(true);
    const settings = { connections: { keepWarm: false } };
    const withoutEarly = await stage.sotto('dot', settings);
    const withEarly = await stage.sotto('dot', settings, { earlyData: true });
    const taken = await afterPauses(stage, [withoutEarly, withEarly]);
    const yardstick = await stage.udpMs();
    return taken.map(([which, ms]) => ({
      row: ours,
      column: which === withEarly ? early : cold,
      value: ms / yardstick,
    }));
  });
}

/** Medians of the queries after each pause. */
async function afterPauses(
  stage: Stage,
  running: readonly Running[],
): Promise<[which: Running, ms: number][]> {
  const taken = new Map<Running, number[]>(running.map((each) => [each, []]));
  for (const { door } of running) await stage.askOne(door);
  for (let rest = 0; rest < pauses; rest++) {
    await pause(pauseMs);
    for (const [{ door }, ms] of taken) ms.push(await stage.askOne(door));
  }
  return [...taken].map(([which, ms]) => [which, middle(ms)]);
}

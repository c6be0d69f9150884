/**
 * The laptop was asleep, or has been carried to another network: the connection is dead, whether the kernel reports it or not.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { inSequence } from '../ask.ts';
import type { Figure, Sample } from '../figure.ts';
import type { Running } from '../program.ts';
import { ours, plainUdp } from '../rows.ts';
import { middle, type Stage } from '../stage.ts';

const idleSeconds = 2;
const asleepMs = 3000;
const awakeMs = 500;
const addresses = ['192.0.2.61', '192.0.2.62'];
const patienceMs = 6000;
const wake = 'after sleep';
const change = 'after a network change';

export const afterInterruption: Figure = {
  id: 'after-interruption',
  title: 'First query after sleep, and on another network',
  how: `Sleep: the programs are stopped for ${asleepMs / 1000} s, in which the server closes the idle connection, and get a query ${awakeMs / 1000} s after they went on; the machine's clocks don't jump as they do after a real sleep. Network: the machine's address is replaced by another one; the next query follows at once (medians of ${addresses.length}). A query without a response counts as ${patienceMs / 1000} s.`,
  unit: '× UDP',
  columns: [wake, change],
  reach: [
    { row: ours, column: wake, atMost: 1.1, needs: 'nothing more' },
    {
      row: ours,
      column: change,
      atMost: 3.1,
      needs: 'a dial as soon as there is an address',
    },
  ],
  async measure(round) {
    return await round.at({ idle: `${idleSeconds}s` }, async (stage) => {
      const yardstick = await stage.udpMs();
      const running = await stage.startAll(round.programs);
      const samples: Sample[] = [{ row: plainUdp, column: wake, value: 1 }];
      const add = (column: string, { title }: Asked, ms: number) =>
        samples.push({ row: title, column, value: ms / yardstick });
      for (const each of running) await stage.askOne(each.door);
      for (const [each, ms] of await afterSleep(stage, running)) add(wake, each, ms);
      const asked = [{ title: plainUdp, door: stage.plain }, ...running];
      for (const [each, ms] of await afterMoves(stage, asked)) add(change, each, ms);
      return { samples };
    });
  },
};

type Asked = Pick<Running, 'title' | 'door'>;
type Taken = [Asked, number][];

async function afterSleep(stage: Stage, running: readonly Running[]): Promise<Taken> {
  const signal = (which: NodeJS.Signals) => {
    // each leads a process group
    for (const { pid } of running) process.kill(-pid, which);
  };
  signal('SIGSTOP');
  await pause(asleepMs);
  signal('SIGCONT');
  await pause(awakeMs);
  const taken: Taken = [];
  for (const each of running) taken.push([each, await firstAnswer(stage, each)]);
  return taken;
}

/** All programs at once, because otherwise the others would wait for one that stalls. */
async function afterMoves(stage: Stage, all: readonly Asked[]): Promise<Taken> {
  const taken = new Map<Asked, number[]>(all.map((each) => [each, []]));
  for (const address of addresses) {
    await Promise.all(all.map((each) => firstAnswer(stage, each)));
    await stage.link.moveClientTo(address);
    const asked = all.map(async (each) => {
      taken.get(each)?.push(await firstAnswer(stage, each));
    });
    await Promise.all(asked);
  }
  return [...taken].map(([each, ms]) => [each, middle(ms)]);
}

async function firstAnswer(stage: Stage, { door }: Asked): Promise<number> {
  const timetable = { ...inSequence(stage.names(1)), patienceMs, retryMs: 0 };
  const { ms } = await stage.ask(door, timetable);
  return ms[0] ?? patienceMs;
}

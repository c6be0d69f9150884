/** A page opens: thirty new names at once, on an open connection. */

import type { Door } from '../ask.ts';
import { allAtOnce } from '../ask.ts';
import type { Figure, Sample } from '../figure.ts';
import { ours, plainUdp } from '../rows.ts';
import { middle, type Stage } from '../stage.ts';

const names = 30;
const bursts = 8;
const last = 'last response';
const typical = 'median response';

export const burst: Figure = {
  id: 'burst',
  title: '30 names at once',
  how: `${bursts} bursts of ${names} new names, one after the other, on warm connections; medians of the bursts.`,
  unit: '× UDP',
  columns: [typical, last],
  published: {
    smartdns: '1.1',
    unbound: '2.1',
    stubby: '2.1',
    'AdGuard dnsproxy': '3.3',
  },
  reach: [{ row: ours, column: last, atMost: 1.15, needs: 'a burst that waits for nothing' }],
  async measure(round) {
    return await round.at({}, async (stage) => {
      const yardstick = await stage.udpMs();
      const samples = await burstsOf(stage, plainUdp, stage.plain, yardstick);
      for (const program of round.programs) {
        const running = await stage.start(program);
        await stage.warm(running);
        samples.push(...(await burstsOf(stage, running.title, running.door, yardstick)));
      }
      return { samples };
    });
  },
};

async function burstsOf(
  stage: Stage,
  row: string,
  door: Door,
  yardstick: number,
): Promise<Sample[]> {
  const [medians, lasts]: [number[], number[]] = [[], []];
  for (let asked = 0; asked < bursts; asked++) {
    const { ms } = await stage.ask(door, allAtOnce(stage.names(names)));
    medians.push(middle(ms));
    lasts.push(Math.max(...ms.map((each) => each ?? Number.POSITIVE_INFINITY)));
  }
  return [
    { row, column: typical, value: middle(medians) / yardstick },
    { row, column: last, value: middle(lasts) / yardstick },
  ];
}

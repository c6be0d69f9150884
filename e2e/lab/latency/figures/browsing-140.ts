/** Figure 6 of the T-DNS report: 140 names that the upstream has to find first, answered in order or as they are found. */
import type { Door } from '../ask.ts';
import { type Figure, ours, plainUdp, type Sample } from '../figure.ts';
import { middle, type Site } from '../site.ts';
import type { Stage } from '../stage.ts';

const names = 140;
/** ms from the first program's questions to the next one's, so that they don't compute at the same time */
const apartMs = 150;
const patienceMs = 6000;
const finding = '5ms-45ms';
const variants = [1, 35].flatMap((rttMs) =>
  [false, true].map((inOrder) => ({
    rttMs,
    inOrder,
    column: `${rttMs} ms, ${inOrder ? 'in order' : 'out of order'}`,
  })),
);

export const browsing140: Figure = {
  id: 'browsing-140',
  title: 'Figure 6: 140 names, upstream in order against out of order',
  how: `${names} new names at once on warm connections; the last answer. The server takes ${finding.replace('-', ' to ')} for each name (drawn anew each time), as many at a time as are asked, or one at a time a connection ("in order"). UDP has no order.`,
  unit: '× UDP',
  columns: variants.map(({ column }) => column),
  published: { [ours]: 'in order: 10–47 s' },
  reach: variants
    .filter(({ inOrder }) => !inOrder)
    .map(({ column }) => ({
      row: ours,
      column,
      atMost: 1.05,
      needs:
        'an explanation first: at 35 ms a round trip more than UDP, with every peer too, padded or not',
    })),
  async measure(stage) {
    const all: Sample[] = [];
    for (const variant of variants) all.push(...(await measureVariant(stage, variant)));
    return { samples: all };
  },
};

async function measureVariant(
  stage: Stage,
  { rttMs, inOrder, column }: (typeof variants)[number],
): Promise<Sample[]> {
  return await stage.at({ rttMs, inOrder, delay: finding }, async (site) => {
    const yardsticks: number[] = [];
    for (let asked = 0; asked < 3; asked++) yardsticks.push(await lastAnswer(site, site.plain));
    const yardstick = middle(yardsticks);
    const running = await site.startAll(stage.programs);
    await Promise.all(running.map((each) => site.warm(each)));
    const samples = await Promise.all(
      running.map(async ({ title, door }, index) => {
        const taken = await lastAnswer(site, door, index * apartMs);
        return { row: title, column, value: taken / yardstick };
      }),
    );
    return [{ row: plainUdp, column, value: 1 }, ...samples];
  });
}

async function lastAnswer(site: Site, door: Door, afterMs = 0): Promise<number> {
  const questions = site.names(names).map((name) => ({ atMs: afterMs, name }));
  const { ms } = await site.ask(door, { questions, each: 'at', patienceMs, retryMs: 0 });
  return Math.max(...ms.map((each) => each ?? patienceMs));
}

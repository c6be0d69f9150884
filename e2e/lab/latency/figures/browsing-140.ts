/** Figure 6 of the T-DNS report: 140 names that the upstream has to find first, with responses in order or as they are found. */
import type { Door } from '../ask.ts';
import type { Figure, Sample } from '../figure.ts';
import type { Round } from '../round.ts';
import { ours, plainUdp } from '../rows.ts';
import { middle, type Stage } from '../stage.ts';

const names = 140;
/** ms from the first program's queries to the next one's, so that they don't compute at the same time */
const apartMs = 150;
const patienceMs = 6000;
/** As long as the report's cold cache took: its 10 to 47 s in order are 71 to 336 ms a name. */
const finding = '20ms-380ms';
/** In order, programs give up long before 28 s, so they are measured with a recursive that finds its names quickly. */
const findingInOrder = '5ms-45ms';
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
  how: `${names} new names at once on warm connections; the last response. The server takes ${finding.replace('-', ' to ')} for each name (drawn anew each time), as many at a time as are asked: one after the other that would be 28 s, within the report's 10 to 47 s in order. In order, one at a time a connection, is measured with ${findingInOrder.replace('-', ' to ')}, because programs give up long before 28 s. UDP has no order.`,
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
        'less than 14.6 kB for 140 padded queries: they take 18 kB, more than TCP’s first ten segments, so that some leave a round trip later',
    })),
  async measure(round) {
    const all: Sample[] = [];
    for (const variant of variants) all.push(...(await measureVariant(round, variant)));
    return { samples: all };
  },
};

async function measureVariant(
  round: Round,
  { rttMs, inOrder, column }: (typeof variants)[number],
): Promise<Sample[]> {
  return await round.at(
    { rttMs, inOrder, delay: inOrder ? findingInOrder : finding },
    async (stage) => {
      const yardsticks: number[] = [];
      for (let asked = 0; asked < 3; asked++) yardsticks.push(await lastAnswer(stage, stage.plain));
      const yardstick = middle(yardsticks);
      const running = await stage.startAll(round.programs);
      await Promise.all(running.map((each) => stage.warm(each)));
      const samples = await Promise.all(
        running.map(async ({ title, door }, index) => {
          const taken = await lastAnswer(stage, door, index * apartMs);
          return { row: title, column, value: taken / yardstick };
        }),
      );
      return [{ row: plainUdp, column, value: 1 }, ...samples];
    },
  );
}

async function lastAnswer(stage: Stage, door: Door, afterMs = 0): Promise<number> {
  const queries = stage.names(names).map((name) => ({ atMs: afterMs, name }));
  const { ms } = await stage.ask(door, { queries, each: 'at', patienceMs, retryMs: 0 });
  return Math.max(...ms.map((each) => each ?? patienceMs));
}

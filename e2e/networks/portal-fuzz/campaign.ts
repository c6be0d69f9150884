/** Runs exchanges in parallel lanes, and reports their results and whether anything is left over. */
import { readdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { exchangeOf, type Party } from './exchange.ts';
import { openLane } from './lane.ts';

export interface Campaign {
  seed: number;
  /** ordered */
  exchanges: number;
  /** carried out */
  reached: number;
  /** by party and result */
  outcomes: Partial<Record<Party, Record<string, number>>>;
  /** what was wrong, with the seed of the exchange */
  wrong: { seed: number; why: string }[];
  before: Standing;
  /** after everything has ended */
  after: Standing;
  /** samples of the heap, in octets */
  heap: number[];
}

/** Null: no exception escaped, nothing hung or was left over. */
export function whatIsWrong({ wrong, before, after }: Campaign): string | null {
  const [first] = wrong;
  if (first !== undefined)
    return `${wrong.length} exchanges; the first, of seed ${first.seed}: ${first.why}`;
  if (after.files > before.files) return `${after.files - before.files} files more are open`;
  const grown = after.heap - before.heap;
  return grown > mostGrown ? `the heap has grown by ${grown} octets` : null;
}

const mostGrown = 16 * 1024 * 1024;

export interface Standing {
  heap: number;
  files: number;
  /** sockets, timers and the like that keep Node going, by kind */
  handles: Record<string, number>;
}

interface Order {
  seed: number;
  exchanges: number;
  lanes: number;
  /** no further exchange begins */
  signal?: AbortSignal;
  /** `wrong`: how many exchanges have gone wrong so far */
  onProgress?(done: number, wrong: number): void;
}

const warmUp = 500;

export async function runCampaign({
  signal,
  seed,
  exchanges,
  lanes,
  onProgress,
}: Order): Promise<Campaign> {
  const outcomes: Campaign['outcomes'] = {};
  let reached = 0;
  const wrong: Campaign['wrong'] = [];
  const heap: number[] = [];
  let under = new Set<number>();
  const escaped = (error: unknown) => {
    const why = `escaped: ${error instanceof Error ? error.stack : String(error)}`;
    wrong.push({ seed: Math.min(...under), why });
  };
  process.on('uncaughtException', escaped);
  process.on('unhandledRejection', escaped);

  function count(party: Party, outcome: string): void {
    const ofParty = outcomes[party] ?? {};
    outcomes[party] = { ...ofParty, [outcome]: (ofParty[outcome] ?? 0) + 1 };
  }

  async function carryOut(from: number, to: number, every: number): Promise<void> {
    let next = from;
    await Promise.all(
      Array.from({ length: lanes }, async () => {
        const lane = await openLane();
        while (next < to && signal?.aborted !== true) {
          const one = next++;
          under.add(one);
          const exchange = exchangeOf(one);
          const outcome = await lane.carryOut(exchange).catch((error: Error) => {
            wrong.push({ seed: one, why: `${exchange.party}: ${error.message}` });
            return 'wrong';
          });
          under.delete(one);
          reached++;
          count(exchange.party, outcome);
          if ((one - from) % every === every - 1) {
            heap.push(standing().heap);
            onProgress?.(one - from + 1, wrong.length);
          }
        }
        await lane.close();
      }),
    );
    under = new Set();
  }

  try {
    // Code that is loaded and compiled once is no leak.
    await carryOut(seed - warmUp, seed, Number.POSITIVE_INFINITY);
    for (const party of Object.keys(outcomes)) delete outcomes[party as Party];
    reached = 0;
    const before = await settled();
    await carryOut(seed, seed + exchanges, Math.max(1, Math.floor(exchanges / 20)));
    const after = await settled(before);
    return { seed, exchanges, reached, outcomes, wrong, before, after, heap };
  } finally {
    process.off('uncaughtException', escaped);
    process.off('unhandledRejection', escaped);
  }
}

/** What ends, ends within some turns of the loop; `like`: waits until no more is left than there was then. */
async function settled(like?: Standing): Promise<Standing> {
  const until = performance.now() + 10_000;
  let now = standing();
  do {
    await new Promise((resolve) => setTimeout(resolve, 50));
    now = standing();
  } while (performance.now() < until && like !== undefined && now.files > like.files);
  return now;
}

function standing(): Standing {
  collectGarbage();
  const handles = Object.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
  return {
    heap: process.memoryUsage().heapUsed,
    files: readdirSync('/proc/self/fd').length,
    handles: Object.fromEntries(
      Object.entries(handles).map(([kind, all]) => [kind, all?.length ?? 0]),
    ),
  };
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

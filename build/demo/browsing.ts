/** A made-up person who reads pages: bursts of queries with pauses between, the same for the same seed. */
import type { Page, Query } from './pages.ts';

export interface Visit {
  page: string;
  /** milliseconds of reading before this page is opened */
  pause: number;
  queries: Query[];
}

/** Names that most pages look up and that the zone does not have. */
const gone = ['ads', 'pop-under', 'heatmap', 'old-cdn', 'experiment-b'];
const thirdParties = ['metrics', 'beacon', 'pixel', 'tags', 'consent', 'fonts'];
/** Special-use names that programs look up by mistake; a stub responds to them itself (RFC 6761, RFC 6762). */
const ownAnswers = ['localhost', 'printer.local', 'router.home.arpa'];

export function* browse(pages: readonly Page[], seed: number): Generator<Visit, never> {
  const random = generator(seed);
  const pick = <Item>(items: readonly Item[]): Item =>
    items[Math.floor(random() * items.length)] as Item;
  const below = (limit: number) => Math.floor(random() * limit);

  const seen: Page[] = [];
  for (;;) {
    const goesBack = seen.length > 2 && below(3) === 0;
    const page = goesBack ? pick(seen) : pick(pages);
    seen.push(page);
    const size = Math.min(page.queries.length, 6 + below(20));
    const queries = shuffled(page.queries, random).slice(0, size);
    queries.push({ name: `${pick(thirdParties)}.thirdparty.example`, type: 'A' });
    queries.push({ name: `${pick(gone)}.thirdparty.example`, type: 'A' });
    if (below(4) === 0) queries.push({ name: pick(ownAnswers), type: 'A' });
    yield { page: page.name, pause: 400 + below(1600), queries };
  }
}

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
}

/** A linear congruential generator of 32 bits, with the constants of Numerical Recipes, which is enough for a demo. */
function generator(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

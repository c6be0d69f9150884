/**
 * `npm run bench:hot-set`: what asking ahead for often-asked names saves, and what it costs, on three made-up days that
 * native/engine/tests/day plays through the engine. Writes docs/measurements/hot-set.md.
 */
import { run } from '../../build/child.mjs';
import { cargoEnvironment, workspace } from '../../build/native.mjs';
import { root } from '../../build/places.mjs';
import { markdownTable } from '../../e2e/lab/markdown-table.ts';
import { keepMeasurement } from '../../e2e/rig/keep-measurement.ts';
import { percent, shown } from '../numbers.ts';

/** As the Rust test prints it. */
interface Day {
  variant: string;
  seed: number;
  queries: number;
  outcomes: Partial<Record<string, number>>;
  /** seconds */
  waited: number;
  asked: number;
  sentAhead: number;
  prefetched: number;
  dials: number;
  mostHot: number;
  mostInAMinute: number;
}

/** All days of a variant together. */
interface Summed {
  queries: number;
  /** answered without waiting, with expired data, too */
  cached: number;
  expired: number;
  waited: number;
  asked: number;
  sentAhead: number;
  dials: number;
  mostHot: number;
  mostInAMinute: number;
}

const titles: ReadonlyMap<string, string> = new Map([
  ['off', 'as delivered'],
  ['50', '`cache.hotSet: 50`'],
  ['200', '`cache.hotSet: 200`'],
  ['1000', '`cache.hotSet: 1000`'],
  ['at-once', '`cache.serveStale: "at-once"`'],
  ['200 at-once', 'at-once, and 200'],
]);

const days = await play();
const report = describe(days);
await keepMeasurement('hot-set', report, days);
console.log(report);

async function play(): Promise<Day[]> {
  let output = '';
  const { code } = await run(
    'cargo',
    [
      'test',
      ...workspace,
      '-p',
      'sotto-engine',
      '--test',
      'main',
      'days_with',
      '--',
      '--ignored',
      '--nocapture',
    ],
    { cwd: root, env: cargoEnvironment(), stdio: ['ignore', 'pipe', 'inherit'] },
    (text) => {
      output += text;
    },
  );
  const found = output.split('\n').filter((line) => line.startsWith('day '));
  if (code !== 0 || found.length === 0) throw new Error(`cargo test ended with ${code}\n${output}`);
  return found.map((line) => JSON.parse(line.slice('day '.length)) as Day);
}

function describe(all: readonly Day[]): string {
  const plain = sum(all, 'off');
  const body = [...titles].map(([variant, title]) => row(title, sum(all, variant), plain));
  const seeds = new Set(all.map(({ seed }) => seed)).size;
  return `# The hot set on a made-up day

${seeds} days from different seeds, together ${shown(plain.queries, 0)} queries of clients, played through the whole engine on a clock that does not
wait. Real are the engine from the query to the upstream's connection, its cache, its hot set and all its timers. Made up are the day and
the upstream (\`native/engine/tests/day\`):

* A person reads pages for ten and a half hours with breaks, one in 45 s on average: a site of 1,500 and 3 to 18 of 400 shared names, both
  after Zipf, A and AAAA, and HTTPS for half of them; the browser remembers them for a minute. Programs ask for 30 names, every minute to
  every hour, while the computer is awake. It sleeps at night and twice by day, and each time the hot set begins anew.
* TTLs of 20 s to a day, a third of them 300 s. 40 % of the names have no AAAA.
* The upstream answers within 20 ms and closes after 30 s without a query. Others ask it for the better known half of the
  names, too: of these it gives what is left of the TTL. Connecting takes no time here, so that the waiting for handshakes is not in the table; how many there are is.

${markdownTable(
  [
    '',
    'from the cache',
    'of these expired',
    'waited, s',
    'queries to the upstream',
    'more',
    'sent ahead',
    'most a minute',
    'per miss saved',
    'connections',
  ],
  body,
)}

*Per miss saved*: additional queries for each query of a client that waited as delivered, and did not here. *Most a minute*: sent ahead from one look a minute
to the next, on any of the days. The set of 1,000 never held more than ${sum(all, '1000').mostHot} names, because no more were asked for often enough.`;
}

function row(title: string, day: Summed, plain: Summed): string[] {
  const saved = day.cached - plain.cached;
  const more = day.asked - plain.asked;
  return [
    title,
    percent(day.cached / day.queries),
    percent(day.expired / day.queries),
    shown(day.waited, 0),
    shown(day.asked, 0),
    percent(more / plain.asked),
    shown(day.sentAhead, 0),
    shown(day.mostInAMinute, 0),
    saved === 0 ? '' : shown(more / saved, 2),
    shown(day.dials, 0),
  ];
}

function sum(all: readonly Day[], variant: string): Summed {
  const days = all.filter((day) => day.variant === variant);
  const total = (read: (day: Day) => number | undefined) =>
    days.reduce((sum, day) => sum + (read(day) ?? 0), 0);
  return {
    queries: total((day) => day.queries),
    cached: total(({ outcomes }) => (outcomes['cached'] ?? 0) + (outcomes['stale'] ?? 0)),
    expired: total(({ outcomes }) => outcomes['stale']),
    waited: total((day) => day.waited),
    asked: total((day) => day.asked),
    sentAhead: total((day) => day.sentAhead),
    dials: total((day) => day.dials),
    mostHot: Math.max(...days.map((day) => day.mostHot)),
    mostInAMinute: Math.max(...days.map((day) => day.mostInAMinute)),
  };
}

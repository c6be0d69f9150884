/** Judges whether a service could run without end, from the samples of a soak. Pure: samples in, sentences out. */
import type { LoadSummary } from '../rig/sotto-lab.ts';

/** One sample of the service. */
export interface Sample {
  /** seconds since the measured load began */
  at: number;
  /** MiB */
  resident: number;
  anonymous: number;
  descriptors: number;
  threads: number;
  /** seconds of processor time since the service started */
  processor: number;
  cacheEntries: number;
  eventsDropped: number;
  logLost: number;
  logRows: number;
  /** MiB of SQLite's write-ahead log */
  writeAheadLog: number;
}

export interface Soak {
  samples: Sample[];
  load: LoadSummary;
  /** rows the log grew by while the load ran, counted after its end */
  logged: number;
}

export interface Verdict {
  what: string;
  holds: boolean;
  /** the figures behind it */
  because: string;
}

/** Memory may drift this much, up or down. */
const flat = 0.05;

export function judge({ samples, load, logged }: Soak): Verdict[] {
  const { first, last } = quarters(samples);
  const dropped = Math.max(...samples.map(({ eventsDropped }) => eventsDropped));
  const lost = Math.max(...samples.map(({ logLost }) => logLost));
  const descriptors = (part: Sample[]) => Math.max(...part.map((sample) => sample.descriptors));
  const wrong = load.sent - (load.rcodes['NOERROR'] ?? 0);
  return [
    memory('anonymous', first, last),
    memory('resident', first, last),
    {
      what: 'descriptors do not grow',
      holds: descriptors(last) <= descriptors(first),
      because: `at most ${descriptors(first)} in the first quarter, ${descriptors(last)} in the last`,
    },
    {
      what: 'no query is lost',
      holds: load.sent > 0 && load.lost + load.late + load.duplicates + load.strays + wrong === 0,
      because: `${load.sent} sent, ${load.lost} lost, ${load.late} late, ${load.duplicates} answered twice, ${wrong} without NOERROR`,
    },
    {
      what: 'the log is complete',
      holds: logged === load.sent && dropped === 0 && lost === 0,
      because: `${logged} rows for ${load.sent} queries, ${dropped} events dropped, ${lost} rows lost`,
    },
  ];
}

export function quarters<T>(samples: T[]): { first: T[]; last: T[] } {
  const size = Math.max(1, Math.floor(samples.length / 4));
  return { first: samples.slice(0, size), last: samples.slice(-size) };
}

export function median(values: number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const [low = Number.NaN, high = low] = sorted.slice(sorted.length % 2 ? middle : middle - 1);
  return sorted.length % 2 ? low : (low + high) / 2;
}

function memory(kind: 'anonymous' | 'resident', first: Sample[], last: Sample[]): Verdict {
  const [before, after] = [first, last].map((part) => median(part.map((sample) => sample[kind])));
  const change = ((after ?? Number.NaN) - (before ?? Number.NaN)) / (before ?? Number.NaN);
  return {
    what: `${kind} memory is flat within ${flat * 100} %`,
    holds: Math.abs(change) <= flat,
    because: `median ${before?.toFixed(1)} MiB in the first quarter, ${after?.toFixed(1)} MiB in the last: ${(change * 100).toFixed(1)} %`,
  };
}

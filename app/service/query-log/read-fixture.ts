/** Reading the log in tests: a filter as text, everything at once. */
import type { LogFilter } from '../../contract/query-log/log-filter.ts';
import { readLogFilter } from '../../contract/query-log/log-filter-reading.ts';
import type { QueryEvent } from '../../contract/query-log/query-event.ts';
import type { JobKind, ReaderJobs } from './log-messages.ts';
import { openForReading } from './log-reader.ts';
import type { QueryLog } from './query-log.ts';
import { readerJobs } from './search/reader-jobs.ts';

export function filterOf(text: string): LogFilter {
  const read = readLogFilter(text);
  if (!read.ok) throw new Error(`${text}: ${read.problem.message}`);
  return read.terms;
}

/** Every step of the job, one after the other. */
export function runJob<Kind extends JobKind>(
  file: string,
  work: Kind,
  request: ReaderJobs[Kind]['request'],
): ReaderJobs[Kind]['answer'] {
  const database = openForReading(file);
  try {
    const steps = readerJobs[work](database, request);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  } finally {
    database.close();
  }
}

/** Newest first. */
export function readEvents(
  file: string,
  {
    limit,
    filter = '',
    before,
    now = 0,
  }: { limit: number; filter?: string; before?: number; now?: number },
): QueryEvent[] {
  return runJob(file, 'search', { filter: filterOf(filter), before, limit, now }).events;
}

/** Newest first, by the reader's own thread. */
export async function newest(log: QueryLog, limit: number, filter = ''): Promise<QueryEvent[]> {
  return (await log.read('search', { filter: filterOf(filter), limit }).answer).events;
}

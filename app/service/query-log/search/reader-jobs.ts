/** The jobs of the reader, each as steps between which it may pause. */

import type { Database } from 'better-sqlite3';
import type { EventRecord } from '../../engine/boundary.ts';
import { selectEvents } from '../event-columns.ts';
import type { JobKind, ReaderJobs } from '../log-messages.ts';
import { presentEvent } from '../present-event.ts';
import { askedQueries } from './asked-queries.ts';
import { countFacets, type FacetsStep } from './count-facets.ts';
import { countRows } from './count-rows.ts';
import { findPage, type SearchStep } from './find-page.ts';
import { countHistogram, type HistogramStep } from './histogram.ts';
import { suggest } from './suggest.ts';
import { top } from './top.ts';

export type JobStep = SearchStep | HistogramStep | FacetsStep | undefined;

type Steps<Kind extends JobKind> = Generator<JobStep, ReaderJobs[Kind]['answer']>;

export const readerJobs: {
  [Kind in JobKind]: (database: Database, request: ReaderJobs[Kind]['request']) => Steps<Kind>;
} = {
  search: findPage,
  count: countRows,
  histogram: countHistogram,
  facets: countFacets,
  top,
  suggest,
  asked: askedQueries,
  *event(database, { id }) {
    yield;
    const record = database.prepare(`${selectEvents} WHERE id = ?`).get(id);
    return record === undefined ? null : presentEvent(record as EventRecord);
  },
};

/** The queries of a simulation: those of the log, page by page, or those that the caller gives. */
import { type Result, succeed } from '../../../contract/errors.ts';
import type { GivenQuery, SimulationObstacle } from '../../../contract/settings/simulation.ts';
import type { NumberOf } from '../../conditions/condition-here.ts';
import type { SupposedAsker, SupposedQueries, SupposedQuery } from '../../engine/boundary.ts';
import { write } from '../../engine/engine-addon.ts';
import type { Supposition } from '../../engine/engine-driver.ts';
import { outcomeOf } from '../../query-log/log-handlers.ts';
import type { LogMode } from '../../query-log/privacy-mode.ts';
import type { QueryLog } from '../../query-log/query-log.ts';
import type { AskedPage, LoggedAsker } from '../../query-log/search/asked-queries.ts';

export interface Added {
  cannot: SimulationObstacle | null;
  /** of the oldest query of the log, unix milliseconds */
  since: number | null;
  /** queries of the log that nobody can decide about again: without a name, or of another class than IN */
  leftOut: number;
}

export const nothingAdded: Added = { cannot: null, since: null, leftOut: 0 };

/** Null: the log keeps whole names. */
export function obstacleOf(mode: LogMode): SimulationObstacle | null {
  switch (mode) {
    case 'full':
      return null;
    case 'domain':
      return 'log-domains';
    case 'counts':
      return 'log-counts';
    case 'off':
      return 'log-off';
  }
}

const unknownAsker: SupposedAsker = { user: null, unit: null };

export async function addGiven(
  supposed: Pick<Supposition, 'add'>,
  given: readonly GivenQuery[],
): Promise<Added> {
  const queries = given.map(
    ({ name, type = 'A', times = 1 }): SupposedQuery => [name, type, 0, times],
  );
  await supposed.add(write<SupposedQueries>({ askers: [unknownAsker], queries }));
  return nothingAdded;
}

interface FromLog {
  queryLog: Pick<QueryLog, 'read'>;
  last: number;
  withAskers: boolean;
  numberOf: NumberOf;
  /** nobody waits for the result any more */
  hasGone(): boolean;
}

/** So many rows are handed over at once, which bounds what this process holds of the log. */
const pageRows = 65_536;

export async function addLogged(
  supposed: Pick<Supposition, 'add'>,
  { queryLog, last, withAskers, numberOf, hasGone }: FromLog,
): Promise<Result<Added>> {
  let added = nothingAdded;
  let left = last;
  let before: number | undefined;
  while (left > 0 && !hasGone()) {
    const request = { before, limit: Math.min(left, pageRows), withAskers };
    const read: Result<AskedPage> = await outcomeOf(queryLog.read('asked', request).answer);
    if (!read.ok) return read;
    const { askers, queries, rows, leftOut, since, next } = read.value;
    const known = askers.map((asker) => supposedAsker(asker, numberOf));
    await supposed.add(`{"askers":${JSON.stringify(known)},"queries":${queries}}`);
    added = { cannot: null, since: since ?? added.since, leftOut: added.leftOut + leftOut };
    if (next === null) break;
    left -= rows;
    before = next;
  }
  return succeed(added);
}

/** The log has an account by its name, or by its number where it has none. */
function supposedAsker(asker: LoggedAsker | null, numberOf: NumberOf): SupposedAsker {
  if (asker === null) return unknownAsker;
  const { user, unit } = asker;
  return { user: /^\d+$/.test(user) ? Number(user) : numberOf(user), unit };
}

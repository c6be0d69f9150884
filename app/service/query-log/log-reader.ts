/** Questions to the log. A connection lives for one question, so that no reader holds on to a moved or shrunk file. */
import Database from 'better-sqlite3';
import { outcomes, type QueryEvent } from '../../contract/query-event.ts';
import { selectEvents } from './event-columns.ts';
import type { EventRecord } from './event-record.ts';
import type { QueryFilter } from './log-messages.ts';
import { globPattern } from './name-glob.ts';
import { presentEvent } from './present-event.ts';

export const mostRows = 10_000;

/** Newest first. Throws where the file can't be read. */
export function readEvents(file: string, filter: QueryFilter): QueryEvent[] {
  const { condition, parameters } = translateFilter(filter);
  const database = new Database(file, { readonly: true, timeout: 2000 });
  try {
    return database
      .prepare(`${selectEvents} ${condition} ORDER BY id DESC LIMIT @limit`)
      .all(parameters)
      .map((row) => presentEvent(row as EventRecord));
  } finally {
    database.close();
  }
}

export function translateFilter(filter: QueryFilter): {
  condition: string;
  parameters: Record<string, string | number>;
} {
  const conditions: string[] = [];
  const limit = Math.min(Math.max(Math.trunc(filter.limit), 0), mostRows);
  const parameters: Record<string, string | number> = { limit };
  if (filter.name !== undefined) {
    const pattern = globPattern(filter.name);
    if (pattern === null)
      throw new RangeError('the name pattern is too long or has too many stars');
    conditions.push('name_id IN (SELECT id FROM names WHERE names.name GLOB @name)');
    parameters['name'] = pattern;
  }
  if (filter.outcome !== undefined) {
    conditions.push('outcome = @outcome');
    parameters['outcome'] = outcomes.indexOf(filter.outcome);
  }
  if (filter.since !== undefined) {
    conditions.push('at >= @since');
    parameters['since'] = filter.since * 1000;
  }
  if (filter.beforeId !== undefined) {
    conditions.push('id < @beforeId');
    parameters['beforeId'] = filter.beforeId;
  }
  const condition = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return { condition, parameters };
}

/** Which registrable domains, programs and clients rows have, and how often. Rows without one are in none of the counts. */
import type { Database, Statement } from 'better-sqlite3';
import type { TopKind } from '../../../contract/query-log/log-api.ts';
import { registrableDomain } from '../privacy-mode.ts';

export type Values = Map<string, number>;

const reverseZones = ['in-addr.arpa', 'ip6.arpa'];

/** Each gives values and counts; those of `domain` are whole names. The condition is about events. */
export function selectValues(database: Database, condition: string): Record<TopKind, Statement> {
  const grouped = (column: string, from = 'events') =>
    database
      .prepare(`SELECT ${column}, count(*) FROM ${from} ${condition} GROUP BY ${column}`)
      .raw();
  return {
    client: grouped('client_address'),
    program: grouped('program'),
    domain: database
      .prepare(
        `SELECT name, count FROM
           (SELECT name_id, count(*) AS count FROM events ${condition} GROUP BY name_id)
           JOIN names ON names.id = name_id`,
      )
      .raw(),
  };
}

export function addValues(values: Values, by: TopKind, rows: readonly [string, number][]): void {
  for (const [text, count] of rows) {
    const value = by === 'domain' ? domainOf(text) : text;
    if (value !== '') values.set(value, (values.get(value) ?? 0) + count);
  }
}

/** Reverse look-ups are together, and so are names under no public suffix, by their last label: `local`, `lan`, `home`. */
export function domainOf(name: string): string {
  return reverseZones.find((zone) => name.endsWith(`.${zone}`)) ?? registrableDomain(name);
}

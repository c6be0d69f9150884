/** Which registrable domains, programs and clients rows have, and how often. Rows without one are in none of the counts. */
import type { TopKind } from '../../../contract/query-log/log-api.ts';
import { registrableDomain } from '../privacy-mode.ts';
import { programColumn } from '../program-column.ts';

export type Values = Map<string, number>;

const reverseZones = ['in-addr.arpa', 'ip6.arpa'];

/** A SELECT of values, each with its count; those of `domain` are whole names. The condition is about events. */
export function groupedByValue(by: TopKind, condition: string): string {
  const grouped = (column: string) =>
    `SELECT ${column} AS value, count(*) AS count FROM events ${condition} GROUP BY value`;
  if (by !== 'domain') return grouped(by === 'client' ? 'client_address' : programColumn);
  return `SELECT name, count FROM (${grouped('name_id')}) JOIN names ON names.id = value`;
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

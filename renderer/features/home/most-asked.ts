/** Which names and which programs occur most among queries. Pure. */
import { askerName } from '../../../app/contract/query-log/asker-name.ts';
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';

export interface Ranked {
  value: string;
  count: number;
  /** of the most frequent one */
  share: number;
}

/** Queries whose name or program is unknown do not count. */
export function rank(values: readonly string[], most: number): Ranked[] {
  const counts = new Map<string, number>();
  for (const value of values) if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
  const sorted = [...counts].sort(
    ([one, few], [other, many]) => many - few || one.localeCompare(other),
  );
  const highest = sorted[0]?.[1] ?? 1;
  return sorted.slice(0, most).map(([value, count]) => ({ value, count, share: count / highest }));
}

export const nameOf = ({ name }: QueryEvent): string => name.replace(/\.$/, '');
export const programOf = ({ asker }: QueryEvent): string => askerName(asker);

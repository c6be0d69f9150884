/** The arithmetic of the comparison. */

/** For an even number of values the mean of the two in the middle; null for none. */
export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

/** The one with the highest or lowest value; the first of equal ones; null where there is none. */
export function best(
  values: ReadonlyMap<string, number>,
  better: 'more' | 'less',
): { id: string; value: number } | null {
  const sign = better === 'more' ? 1 : -1;
  let found: { id: string; value: number } | null = null;
  for (const [id, value] of values)
    if (found === null || sign * (value - found.value) > 0) found = { id, value };
  return found;
}

/** The same list, started one further each round, so that no program always comes first. */
export function rotated<T>(items: readonly T[], round: number): T[] {
  const by = items.length === 0 ? 0 : round % items.length;
  return [...items.slice(by), ...items.slice(0, by)];
}

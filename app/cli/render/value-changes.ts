/** What one value says otherwise than another, part by part: of a long list only what came, went, changed or moved. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { type Path, writePath } from '../../contract/settings/validation-issues.ts';

export type PartChange =
  | { kind: 'added' | 'removed'; path: string; value: unknown }
  | { kind: 'changed'; path: string; before: unknown; after: unknown }
  /** in a list, whose order often counts */
  | { kind: 'moved'; path: string; to: string; value: unknown };

export function partChanges(before: unknown, after: unknown, path: Path = []): PartChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return listChanges(before, after, path);
  if (isRecord(before) && isRecord(after)) return recordChanges(before, after, path);
  return [{ kind: 'changed', path: writePath(path), before, after }];
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function recordChanges(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
  path: Path,
): PartChange[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key): PartChange[] => {
    const here = [...path, key];
    if (!Object.hasOwn(after, key))
      return [{ kind: 'removed', path: writePath(here), value: before[key] }];
    if (!Object.hasOwn(before, key))
      return [{ kind: 'added', path: writePath(here), value: after[key] }];
    return partChanges(before[key], after[key], here);
  });
}

function listChanges(
  before: readonly unknown[],
  after: readonly unknown[],
  path: Path,
): PartChange[] {
  const pairs = pairsOf(before, after);
  const [was, is] = [new Set(pairs.map(([one]) => one)), new Set(pairs.map(([, one]) => one))];
  const gone = before.flatMap((_, index) => (was.has(index) ? [] : [index]));
  const come = new Set(after.flatMap((_, index) => (is.has(index) ? [] : [index])));
  const at = (index: number) => writePath([...path, index]);
  const stays = increasing(pairs);
  return [
    ...gone.flatMap((index): PartChange[] => {
      const [old, next] = [before[index], after[index]];
      // At the same place, and of the same form: the same one with another content.
      if (!come.has(index) || !isContainer(old) || !isContainer(next))
        return [{ kind: 'removed', path: at(index), value: old }];
      come.delete(index);
      return partChanges(old, next, [...path, index]);
    }),
    ...[...come].map((index): PartChange => {
      return { kind: 'added', path: at(index), value: after[index] };
    }),
    ...pairs
      .filter((pair) => !stays.has(pair))
      .map(([one, other]): PartChange => {
        return { kind: 'moved', path: at(one), to: at(other), value: before[one] };
      }),
  ];
}

const isContainer = (value: unknown) => typeof value === 'object' && value !== null;

type Pair = readonly [before: number, after: number];

/** The positions of what both have, in the order of the first. */
function pairsOf(before: readonly unknown[], after: readonly unknown[]): Pair[] {
  const free = Map.groupBy(after.keys(), (index) => sorted(after[index]));
  return before.flatMap((value, index): Pair[] => {
    const other = free.get(sorted(value))?.shift();
    return other === undefined ? [] : [[index, other]];
  });
}

/** The same text for equal values, in whatever order their keys stand. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort()) : part,
  );
}

/** A longest part of them whose order is the same in both lists, so that as few as possible have moved. */
function increasing(pairs: readonly Pair[]): Set<Pair> {
  const ends: { pair: Pair; before: number | null }[] = [];
  /** by length, the position in `ends` of the smallest last one */
  const best: number[] = [];
  for (const pair of pairs) {
    const length = firstNotBelow(best, (at) => (ends[at]?.pair[1] ?? 0) >= pair[1]);
    ends.push({ pair, before: best[length - 1] ?? null });
    best[length] = ends.length - 1;
  }
  const kept = new Set<Pair>();
  for (let at = best.at(-1) ?? null; at !== null; at = ends[at]?.before ?? null)
    kept.add((ends[at] as { pair: Pair }).pair);
  return kept;
}

/** The first position of which it is true; it is true of all after that. */
function firstNotBelow(list: readonly number[], isTrue: (item: number) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isTrue(list[middle] as number)) high = middle;
    else low = middle + 1;
  }
  return low;
}

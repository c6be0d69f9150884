/** What a comparison of providers found, and the order in which it is shown. Pure. */
import type {
  CatalogueEntry,
  MeasuredResolver,
  MeasuredUpstream,
} from '../../../app/contract/settings/upstream-methods.ts';

/** A provider in use, or one of the catalogue that is not. */
export interface Candidate {
  kind: 'upstream' | 'resolver';
  id: string;
}

export interface Measured {
  /** null: it gave no answer, and `error` says why */
  responseMs: number | null;
  error: MeasuredUpstream['error'] | MeasuredResolver['error'];
  tried?: MeasuredResolver['tried'];
}

/** by `keyOf` */
export type Found = ReadonlyMap<string, Measured>;

export const keyOf = ({ kind, id }: Candidate) => `${kind} ${id}`;

/** Those in use, and when chosen the others that are still offered. */
export function candidatesOf(
  upstreams: readonly { id: string }[],
  catalogue: readonly Pick<CatalogueEntry, 'id' | 'upstream' | 'retired'>[],
  others: boolean,
): Candidate[] {
  const inUse = upstreams.map(({ id }): Candidate => ({ kind: 'upstream', id }));
  if (!others) return inUse;
  const rest = catalogue.filter(({ upstream, retired }) => upstream === null && retired === null);
  return [...inUse, ...rest.map(({ id }): Candidate => ({ kind: 'resolver', id }))];
}

/** The fastest first; those without an answer follow in their order. */
export function bySpeed(candidates: readonly Candidate[], found: Found): Candidate[] {
  const latency = (one: Candidate) => found.get(keyOf(one))?.responseMs ?? Number.MAX_VALUE;
  return [...candidates].sort((one, other) => latency(one) - latency(other));
}

/** How long a bar is, as a share of the longest one. */
export function lengthOf(responseMs: number, found: Found): number {
  const slowest = Math.max(0, ...[...found.values()].map((one) => one.responseMs ?? 0));
  return slowest === 0 ? 0 : responseMs / slowest;
}

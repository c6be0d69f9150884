/**
 * What checks have found so far, query by query. A disagreement is told once two checks in a row found the same one, so that what
 * passes by itself worries nobody; it ends with the first check in which all upstreams that disagreed agree.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Judgement } from '../../contract/probing/comparison.ts';
import type { Query } from './ask-each.ts';

interface Standing {
  query: Query;
  /** the disagreement of the last check that could compare */
  seen: Judgement;
  /** the one that a person is told; null: none yet */
  told: Judgement | null;
}

export interface StandingDisagreements {
  /** `judged`: null where the query was not sent. */
  note(query: Query, judged: Judgement | null): void;
  /** Forgets those of all other names. */
  keepOnly(names: readonly string[]): void;
  told(): Judgement[];
  /** Whether another check is needed before a person is told. */
  areUnconfirmed(): boolean;
}

export function createStandingDisagreements(): StandingDisagreements {
  const standing = new Map<string, Standing>();
  const keyOf = ({ name, type }: Query) => `${name} ${type}`;

  return {
    note(query, judged) {
      const before = standing.get(keyOf(query));
      if (judged === null || isEnd(judged, before)) standing.delete(keyOf(query));
      if (judged === null || judged.sides === null) return;
      const isConfirmed = isDeepStrictEqual(before?.seen, judged);
      const told = isConfirmed ? judged : (before?.told ?? null);
      standing.set(keyOf(query), { query, seen: judged, told });
    },

    keepOnly(names) {
      for (const [key, { query }] of [...standing])
        if (!names.includes(query.name)) standing.delete(key);
    },

    told: () => [...standing.values()].flatMap(({ told }) => told ?? []),
    areUnconfirmed: () =>
      [...standing.values()].some(({ seen, told }) => !isDeepStrictEqual(seen, told)),
  };
}

/** An upstream that does not respond neither contradicts nor agrees. */
function isEnd({ is, compared }: Judgement, before: Standing | undefined): boolean {
  const disagreed = [before?.seen, before?.told].flatMap((one) => one?.sides?.flat() ?? []);
  return is === 'agreement' && disagreed.every((upstream) => compared.includes(upstream));
}

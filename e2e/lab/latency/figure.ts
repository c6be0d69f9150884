/** What a figure of `npm run lab:latency` declares. The runner interleaves, takes medians and renders; a figure only measures. */
import type { Round } from './round.ts';

export interface Figure {
  /** as in --only */
  id: string;
  title: string;
  /** how it is measured, for readers of the table */
  how: string;
  /** the unit of every value; "× UDP" is plain UDP on the same wire in the same round */
  unit: string;
  /** columns of the table, in order */
  columns: readonly string[];
  quantiles?: readonly Quantile[];
  /** by row: values that others published */
  published?: Readonly<Record<string, string>>;
  reach: readonly Reach[];
  /** one round only, where a second could not differ, or would cost minutes */
  once?: true;
  measure(round: Round): Promise<Measured>;
}

export interface Measured {
  samples: Sample[];
  spreads?: Spread[];
}

/** Single values of one round, which are kept for their quantiles. */
export interface Spread {
  row: string;
  /** under which circumstances */
  of: string;
  values: number[];
}

/** A column that is computed from the values of all rounds, because a p99 of one round would depend on chance. */
export interface Quantile {
  column: string;
  of: string;
  share: number;
}

/** One value of one round. */
export interface Sample {
  row: string;
  column: string;
  value: number;
}

/** What must be reached by the medians of all rounds. */
export interface Reach {
  row: string;
  column: string;
  /** a number, or another cell of the same figure */
  atMost: number | { row: string; column: string };
  /** what is missing where it is not reached, or not measured yet */
  needs: string;
}

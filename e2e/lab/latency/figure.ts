/** What a figure of `npm run lab:latency` declares. The runner interleaves, takes medians and renders; a figure only measures. */
import type { Round } from './round.ts';

export interface Figure {
  /** as in --only */
  id: string;
  title: string;
  /** how it is measured, for the reader of the table */
  how: string;
  /** of every value; "× UDP" is plain UDP on the same wire in the same round */
  unit: string;
  /** columns of the table, in order */
  columns: readonly string[];
  quantiles?: readonly Quantile[];
  /** by row: what others published */
  published?: Readonly<Record<string, string>>;
  reach: readonly Reach[];
  /** where a second round could not differ, or would cost minutes */
  once?: true;
  measure(round: Round): Promise<Measured>;
}

export interface Measured {
  samples: Sample[];
  spreads?: Spread[];
}

/** Single values of one round, kept because their quantiles are wanted. */
export interface Spread {
  row: string;
  /** under which circumstances */
  of: string;
  values: number[];
}

/** A column that all rounds' values together give: a p99 of one round would be a matter of luck. */
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

/** What shall come out: of the medians of all rounds. */
export interface Reach {
  row: string;
  column: string;
  /** a number, or the value of another cell of the same figure */
  atMost: number | { row: string; column: string };
  /** what is missing where it is not reached, or not measured, yet */
  needs: string;
}

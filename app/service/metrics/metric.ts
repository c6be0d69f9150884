/** A figure as OpenMetrics knows it, before it is written in one of the formats. */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  labels: Labels;
  value: number;
}

interface Named {
  /** without unit and suffix: `sotto_start_time`, `sotto_queries` */
  name: string;
  help: string;
  unit?: 'seconds' | 'bytes';
}

export type Metric =
  | (Named & { type: 'counter' | 'gauge'; samples: readonly Sample[] })
  /** Facts that are texts: each sample's labels say them. */
  | (Named & { type: 'info'; samples: readonly Labels[] })
  | (Named & { type: 'histogram'; distribution: Distribution });

export interface Distribution {
  /** upper bounds, the smallest first; a last bucket without bound follows */
  bounds: readonly number[];
  /** how many fall into each bucket alone; one more than bounds */
  counts: readonly number[];
  sum: number;
}

export function countOf({ counts }: Distribution): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

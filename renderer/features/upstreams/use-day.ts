/** The last 24 hours of all providers, drawn to one scale. */
import type { Failure } from '../../../app/contract/errors.ts';
import type { Series } from '../../../app/contract/status/series.ts';
import { useSeries } from '../home/use-series.ts';
import { topOf } from './provider-day.ts';

export interface KnownDay {
  /** null: not known yet, or never */
  series: Series | null;
  failure: Failure | null;
  /** the latency at the top of each chart, in milliseconds */
  top: number;
}

export function useDay(): KnownDay {
  const { series, failure } = useSeries('day');
  return { series, failure, top: series === null ? 0 : topOf(series.upstreams) };
}

/** When the rows that fit were asked, by class; choosing a stretch of the chart filters by it. */
import type { LogResult } from '../../../app/contract/query-log/log-api.ts';
import { timeOf } from '../../../app/contract/query-log/log-filter-values.ts';
import { ClassChart } from '../../components/class-chart.tsx';
import { addUp, type ClassSeries, totals } from '../../components/class-columns.ts';
import { useWords } from '../../text/use-text.ts';
import { type FilterState, stretchOf } from './filter-state.ts';
import type { Rows } from './query-log-store.ts';
import styles from './times.module.css';
import { useCounted } from './use-counted.ts';

const buckets = 120;

interface TimesProps {
  filter: FilterState;
  rows: Rows;
  /** of the terms for a chosen stretch */
  onChoose(terms: string): void;
}

export function Times({ filter, rows, onChoose }: TimesProps) {
  const { text } = useWords();
  const { value, failure } = useCounted(
    {
      method: 'log.histogram',
      key: filter.text,
      params: (now) => ({ filter: filter.text, buckets, ...within(filter, now) }),
    },
    rows,
  );
  // the list says what fails, and fails with it
  if (failure !== null) return null;
  if (value === null) return <p className={styles.counting}>{text.chart.counting}</p>;
  const series = seriesOf(value);
  // below it stands why there is nothing
  if (addUp(totals(series)) === 0) return null;
  return (
    <ClassChart
      series={series}
      size="small"
      onChoose={(since, until) => onChoose(`since:${written(since)} until:${written(until)}`)}
    />
  );
}

/** Without a beginning the service begins with the oldest row. */
function within(filter: FilterState, now: number): { from?: number; to?: number } {
  const { since, until } = stretchOf(filter);
  const to = until === null ? now : timeOf(until, now);
  const from = since === null ? undefined : Math.max(0, timeOf(since, now));
  if (from === undefined) return until === null ? {} : { to };
  // of a stretch that ends before it begins, the shortest
  return { from, to: Math.max(to, from + 1) };
}

function seriesOf({ from, width, counts }: LogResult<'histogram'>): ClassSeries {
  return { since: from, step: width, outcomes: counts };
}

function written(unixMs: number): string {
  return new Date(unixMs).toISOString();
}

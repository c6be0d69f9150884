/** The queries of the last hour, day or week, stacked by what became of them. */
import { useState } from 'react';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { ClassChart, ClassLegend } from '../../components/class-chart.tsx';
import { addUp, totals } from '../../components/class-columns.ts';
import { Segments } from '../../components/segments.tsx';
import { linkTo } from '../../state/route.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './queries-chart.module.css';
import { type Range, ranges, useSeries } from './use-series.ts';

export function QueriesChart({ status }: { status: ServiceStatus }) {
  const { text, formats } = useWords();
  const [range, choose] = useState<Range>('day');
  const { series, failure } = useSeries(range);
  const words = text.home.chart;
  const sums = series === null ? null : totals(series);
  const all = sums === null ? 0 : addUp(sums);
  return (
    <section className={styles.section} aria-labelledby="queries-chart">
      <div className={styles.head}>
        <h2 id="queries-chart">
          {all === 0 ? (
            text.chart.title
          ) : (
            <a href={linkTo('queries')}>{text.chart.queries(formats.count(all), all === 1)}</a>
          )}
        </h2>
        {sums === null || all === 0 ? null : (
          <span className={styles.quiet}>{words.fromCache(formats.share(sums.cached / all))}</span>
        )}
        {sums === null || all === 0 ? null : <ClassLegend sums={sums} />}
        <Segments<Range>
          title={words.range}
          options={Object.keys(ranges) as Range[]}
          labels={words.ranges}
          chosen={range}
          onChoose={choose}
        />
      </div>
      {series === null || all === 0 ? (
        <p className={styles.empty}>{whyEmpty()}</p>
      ) : (
        <ClassChart series={series} size="large" />
      )}
    </section>
  );

  function whyEmpty(): string {
    if (status.log.state === 'off') return words.off;
    if (failure?.code === 'forbidden') return words.forbidden;
    if (failure !== null) return words.unavailable;
    return series === null
      ? text.chart.counting
      : words.since(formats.moment(series.keptSince ?? status.startedAt, Date.now()));
  }
}

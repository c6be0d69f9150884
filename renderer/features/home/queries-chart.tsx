/** The queries of the last hour, day or week, stacked by what became of them. */
import { useState } from 'react';
import { type QueryClass, queryClasses } from '../../../app/contract/query-log/query-class.ts';
import type { Series } from '../../../app/contract/status/series.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { linkTo } from '../../state/route.ts';
import { useWords } from '../../text/use-text.ts';
import { endOf, stack, totals } from './outcome-series.ts';
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
            words.title
          ) : (
            <a href={linkTo('queries')}>{words.queries(formats.count(all), all === 1)}</a>
          )}
        </h2>
        {sums === null || all === 0 ? null : (
          <span className={styles.quiet}>{words.fromCache(formats.share(sums.cached / all))}</span>
        )}
        {sums === null || all === 0 ? null : <Legend sums={sums} />}
        <Ranges chosen={range} onChoose={choose} />
      </div>
      {series === null || all === 0 ? (
        <p className={styles.empty}>{whyEmpty()}</p>
      ) : (
        <Bars series={series} />
      )}
    </section>
  );

  function whyEmpty(): string {
    if (status.log.state === 'off') return words.off;
    if (failure?.code === 'forbidden') return words.forbidden;
    if (failure !== null) return words.unavailable;
    return series === null
      ? words.counting
      : words.since(formats.moment(series.keptSince ?? status.startedAt, Date.now()));
  }
}

function addUp(sums: Record<QueryClass, number>): number {
  return queryClasses.reduce((sum, part) => sum + sums[part], 0);
}

function Ranges({ chosen, onChoose }: { chosen: Range; onChoose(range: Range): void }) {
  const { text } = useWords();
  const words = text.home.chart;
  return (
    <fieldset className={styles.ranges}>
      <legend className="spoken">{words.range}</legend>
      {(Object.keys(ranges) as Range[]).map((range) => (
        <button
          key={range}
          type="button"
          aria-pressed={range === chosen}
          onClick={() => onChoose(range)}
        >
          {words.ranges[range]}
        </button>
      ))}
    </fieldset>
  );
}

/** Parts that did not occur are left out, except the usual two. */
function Legend({ sums }: { sums: Record<QueryClass, number> }) {
  const { text } = useWords();
  const shown = queryClasses.filter(
    (part) => sums[part] > 0 || part === 'encrypted' || part === 'cached',
  );
  return (
    <ul className={styles.legend}>
      {shown.map((part) => (
        <li key={part}>
          <i data-part={part} />
          {text.home.chart.parts[part]}
        </li>
      ))}
    </ul>
  );
}

/** One column for each interval: the pointer, or the arrow keys, tell what is in it. */
function Bars({ series }: { series: Series }) {
  const { text, formats } = useWords();
  const [place, pick] = useState<number | null>(null);
  const words = text.home.chart;
  const columns = stack(series);
  const end = endOf(series);
  const last = columns.length - 1;
  const described = place === null ? describe(series) : describe(series, place);

  function onKeyDown(event: React.KeyboardEvent): void {
    const to = {
      ArrowLeft: (place ?? last + 1) - 1,
      ArrowRight: (place ?? -1) + 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    pick(Math.min(last, Math.max(0, to)));
  }

  return (
    <figure className={styles.figure}>
      <div
        className={styles.columns}
        role="slider"
        tabIndex={0}
        aria-label={words.title}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={place ?? last}
        aria-valuetext={described}
        onKeyDown={onKeyDown}
        onBlur={() => pick(null)}
        onPointerLeave={() => pick(null)}
      >
        {columns.map((bars, index) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: an interval is its place
            key={index}
            className={styles.column}
            data-picked={index === place}
            onPointerEnter={() => pick(index)}
          >
            {[...bars].reverse().map(({ part, height }) => (
              <i key={part} data-part={part} style={{ height: `${height * 100}%` }} />
            ))}
          </div>
        ))}
      </div>
      {place === null ? null : (
        <p
          className={styles.tip}
          data-side={place > last / 2 ? 'left' : 'right'}
          aria-hidden="true"
        >
          {described}
        </p>
      )}
      <figcaption className={styles.ends}>
        <span>{formats.moment(series.since, end)}</span>
        <span>{formats.moment((series.since + end) / 2, end)}</span>
        <span>{formats.moment(end, end)}</span>
      </figcaption>
    </figure>
  );

  function describe({ since, step }: Series, one?: number): string {
    const sums = totals(series, one);
    const begin = one === undefined ? since : since + one * step;
    const until = one === undefined ? end : begin + step;
    const told = queryClasses
      .filter((part) => sums[part] > 0)
      .map((part) => `${formats.count(sums[part])} ${words.parts[part]}`);
    const all = addUp(sums);
    const when = `${formats.moment(begin, end)} – ${formats.moment(until, end)}`;
    const queries = words.queries(formats.count(all), all === 1);
    return told.length === 0 ? `${when}: ${queries}` : `${when}: ${queries} – ${told.join(', ')}`;
  }
}

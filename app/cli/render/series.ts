/** `sotto stats --last`: what became of queries over time, one line for each interval in which there were any. */
import { type QueryClass, queryClasses } from '../../contract/query-log/query-class.ts';
import type { Series } from '../../contract/status/series.ts';
import { sayLatency } from '../../contract/text/quantity.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { dayAndMinute } from '../terminal/clock.ts';
import { renderTable } from '../terminal/table.ts';

/** Twice what fits on most terminals is more than anybody reads. */
export const mostLines = 48;

export function renderSeries(series: Series): string[] {
  const { since, step, keptSince } = series;
  if (keptSince === null) return ['Nothing was counted yet.'];
  const lines = intervalsOf(series).filter(({ counts }) => counts.some((count) => count > 0));
  if (lines.length === 0) return ['Nothing was asked in that time.'];
  return renderTable(
    [
      { title: 'from' },
      ...queryClasses.map((title) => ({ title, align: 'right' }) as const),
      ...series.upstreams.map(({ id }) => ({ title: safe(id), align: 'right' }) as const),
    ],
    lines.map(({ index, counts, p50 }) => [
      dayAndMinute(since + index * step),
      ...counts.map(String),
      ...p50.map((time) => (time === null ? '' : sayLatency(time))),
    ]),
  );
}

function intervalsOf({ outcomes, upstreams }: Series) {
  const of = (name: QueryClass) => outcomes[name];
  return of('encrypted').map((_, index) => ({
    index,
    counts: queryClasses.map((name) => of(name)[index] ?? 0),
    p50: upstreams.map(({ p50 }) => p50[index] ?? null),
  }));
}

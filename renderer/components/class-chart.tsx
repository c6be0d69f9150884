/**
 * Queries over time, stacked by what became of them. The pointer, or the arrow keys, tell what is in an interval. Where a stretch can
 * be chosen, dragging does it, or the arrow keys with Shift and then Enter.
 */
import { useRef, useState } from 'react';
import { type QueryClass, queryClasses } from '../../app/contract/query-log/query-class.ts';
import { useWords } from '../text/use-text.ts';
import styles from './class-chart.module.css';
import {
  addUp,
  type ClassSeries,
  endOf,
  ordered,
  type Stretch,
  stack,
  timesOf,
  totals,
} from './class-columns.ts';

interface ClassChartProps {
  series: ClassSeries;
  size: 'large' | 'small';
  /** of a stretch, in unix milliseconds; absent: none can be chosen */
  onChoose?(since: number, until: number): void;
}

export function ClassChart({ series, size, onChoose }: ClassChartProps) {
  const { text, formats } = useWords();
  const [picked, pick] = useState<Stretch | null>(null);
  const dragged = useRef(false);
  const columns = stack(series);
  const end = endOf(series);
  const last = columns.length - 1;
  const described = describe();

  function onKeyDown(event: React.KeyboardEvent): void {
    const to = moved(event.key, picked?.[1] ?? null, last);
    if (to !== null) {
      event.preventDefault();
      extend(to, event.shiftKey);
    } else if (picked !== null) {
      settle(event, picked);
    }
  }

  function extend(to: number, keepsBegin: boolean): void {
    const from = keepsBegin && onChoose !== undefined ? picked?.[0] : to;
    pick([from ?? to, to]);
  }

  function settle(event: React.KeyboardEvent, stretch: Stretch): void {
    if (event.key === 'Enter') choose(stretch);
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    pick(null);
  }

  function choose(stretch: Stretch): void {
    if (onChoose === undefined) return;
    const { since, until } = timesOf(series, stretch);
    pick(null);
    onChoose(since, until);
  }

  function onPointerMove(event: React.PointerEvent<HTMLElement>): void {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const place = Math.floor(((event.clientX - left) / width) * columns.length);
    const to = Math.min(last, Math.max(0, place));
    const from = dragged.current ? (picked?.[0] ?? to) : to;
    if (picked?.[0] !== from || picked[1] !== to) pick([from, to]);
  }

  function onPointerDown(event: React.PointerEvent<HTMLElement>): void {
    if (onChoose === undefined || event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    onPointerMove(event);
    dragged.current = true;
  }

  function onPointerUp(): void {
    const wasDragged = dragged.current;
    dragged.current = false;
    if (wasDragged && picked !== null && picked[0] !== picked[1]) choose(picked);
  }

  return (
    <figure className={styles.figure}>
      <div
        className={styles.columns}
        data-size={size}
        data-choosing={onChoose !== undefined}
        role="slider"
        tabIndex={0}
        aria-label={text.chart.title}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={picked?.[1] ?? last}
        aria-valuetext={described}
        onKeyDown={onKeyDown}
        onBlur={() => pick(null)}
        onPointerDown={onPointerDown}
        onPointerMove={onPointerMove}
        onPointerUp={onPointerUp}
        onPointerCancel={() => {
          dragged.current = false;
          pick(null);
        }}
        onPointerLeave={() => dragged.current || pick(null)}
      >
        {columns.map((bars, place) => (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: an interval is its place
            key={place}
            className={styles.column}
            data-picked={isBetween(place, picked)}
          >
            {[...bars].reverse().map(({ part, height }) => (
              <i
                key={part}
                className={styles.part}
                data-class={part}
                style={{ height: `${height * 100}%` }}
              />
            ))}
          </div>
        ))}
      </div>
      {picked === null ? null : (
        <p
          className={styles.tip}
          data-side={picked[1] > last / 2 ? 'left' : 'right'}
          aria-hidden="true"
        >
          {described}
        </p>
      )}
      <figcaption className={styles.ends}>
        <span>{formats.moment(series.since, end)}</span>
        <span>
          {onChoose === undefined
            ? formats.moment((series.since + end) / 2, end)
            : text.chart.choose}
        </span>
        <span>{formats.moment(end, end)}</span>
      </figcaption>
    </figure>
  );

  function describe(): string {
    const { since, until } = timesOf(series, picked ?? [0, last]);
    const sums = totals(series, picked ?? undefined);
    const told = queryClasses
      .filter((part) => sums[part] > 0)
      .map((part) => `${formats.count(sums[part])} ${text.chart.classes[part]}`);
    const all = addUp(sums);
    const when = `${formats.moment(since, end)} – ${formats.moment(until, end)}`;
    const queries = text.chart.queries(formats.count(all), all === 1);
    return told.length === 0 ? `${when}: ${queries}` : `${when}: ${queries} – ${told.join(', ')}`;
  }
}

/** Where the key leads; null: nowhere. */
function moved(key: string, place: number | null, last: number): number | null {
  const to = {
    ArrowLeft: (place ?? last + 1) - 1,
    ArrowRight: (place ?? -1) + 1,
    Home: 0,
    End: last,
  }[key];
  return to === undefined ? null : Math.min(last, Math.max(0, to));
}

function isBetween(place: number, picked: Stretch | null): boolean {
  if (picked === null) return false;
  const [first, last] = ordered(picked);
  return place >= first && place <= last;
}

/** The colour of a class, before its name. */
export function ClassMark({ of }: { of: QueryClass }) {
  return <i className={`${styles.mark} ${styles.part}`} data-class={of} />;
}

/** What the colours mean. Classes that did not occur are left out, except the usual two. */
export function ClassLegend({ sums }: { sums: Record<QueryClass, number> }) {
  const { text } = useWords();
  const shown = queryClasses.filter(
    (part) => sums[part] > 0 || part === 'encrypted' || part === 'cached',
  );
  return (
    <ul className={styles.legend}>
      {shown.map((part) => (
        <li key={part}>
          <ClassMark of={part} />
          {text.chart.classes[part]}
        </li>
      ))}
    </ul>
  );
}

/** The number of queries over time, with failures in another colour; dragging selects an interval. */
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { LogResult } from '../../../app/contract/query-log/log-api.ts';
import { timeOf } from '../../../app/contract/query-log/log-filter-values.ts';
import { useService } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import { type FilterState, stretchOf } from './filter-state.ts';
import styles from './histogram.module.css';
import type { Rows } from './query-log-store.ts';

type Counts = LogResult<'histogram'>;

interface HistogramProps {
  filter: FilterState;
  rows: Rows;
  /** a term of the filter for the selected interval */
  onBrush(term: string): void;
}

const buckets = 120;
const hour = 3_600_000;
const recountMs = 1000;
const wrong = ['refused', 'failed', 'dropped'] as const;

export function Histogram({ filter, rows, onBrush }: HistogramProps) {
  const { text, formats } = useWords();
  const counts = useCounts(filter, rows);
  const sums = counts === null ? null : sumUp(counts);
  const described =
    counts === null || sums === null
      ? text.frame.loading
      : text.queryLog.histogram.described(
          formats.count(sums.all),
          sums.all === 1,
          formats.count(sums.wrong),
          formats.dateTime(counts.from),
          formats.dateTime(counts.to),
        );
  return (
    <figure className={styles.histogram}>
      <div role="img" aria-label={described} className={styles.picture}>
        {counts === null ? null : <Bars counts={counts} onBrush={onBrush} />}
      </div>
      {counts === null ? null : (
        <figcaption className={styles.ends}>
          <span>{formats.moment(counts.from, counts.to)}</span>
          <span className={styles.hint}>{text.queryLog.histogram.brush}</span>
          <span>{formats.moment(counts.to, counts.to)}</span>
        </figcaption>
      )}
    </figure>
  );
}

/** Counted when the filter changes, and again, a little later, when more queries came. */
function useCounts({ text, terms, problem }: FilterState, rows: Rows): Counts | null {
  const { session } = useService();
  const [counts, setCounts] = useState<Counts | null>(null);
  const counted = useRef<number | null>(null);
  const soon = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const newest = rows.waiting[0]?.id ?? rows.events[0]?.id ?? 0;
  const settled = !rows.loading;
  const [round, countAgain] = useState(0);
  useEffect(() => {
    const isOld = counted.current !== null && counted.current !== newest;
    if (!settled || !isOld || soon.current !== undefined) return;
    // later rows do not postpone it
    soon.current = setTimeout(() => {
      soon.current = undefined;
      countAgain((before) => before + 1);
    }, recountMs);
  }, [settled, newest]);
  useEffect(() => () => clearTimeout(soon.current), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round is a reason to count again
  useEffect(() => {
    if (problem !== null || !settled) return;
    let wanted = true;
    const now = Date.now();
    const { since, until } = stretchOf({ text, terms, problem });
    const from = since === null ? now - hour : timeOf(since, now);
    const to = until === null ? now : timeOf(until, now);
    if (from >= to) return setCounts(nothingBetween(to, from));
    void session
      .call('log.histogram', { filter: text, from: Math.max(0, from), to, buckets })
      .then((told) => {
        if (wanted) setCounts(told.ok ? told.value : null);
        counted.current = newest;
      });
    return () => {
      wanted = false;
    };
  }, [session, text, terms, problem, settled, round]);
  return counts;
}

/** For an interval that ends before it begins. */
function nothingBetween(from: number, to: number): Counts {
  return { from, to: Math.max(from + 1, to), width: Math.max(1, to - from), counts: {} };
}

function Bars({ counts, onBrush }: { counts: Counts; onBrush(term: string): void }) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<uPlot | null>(null);
  const latest = useRef({ counts, onBrush });
  latest.current = { counts, onBrush };
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const plot = new uPlot(
      options(
        element,
        () => latest.current.counts,
        (from, to) => latest.current.onBrush(stretch(from, to)),
      ),
      data(latest.current.counts),
      element,
    );
    drawn.current = plot;
    const fit = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    fit.observe(element);
    return () => {
      drawn.current = null;
      fit.disconnect();
      plot.destroy();
    };
  }, []);
  // A new plot would cost a frame, once a second while queries come.
  useEffect(() => drawn.current?.setData(data(counts)), [counts]);
  return <div ref={place} className={styles.plot} />;
}

const height = 72;

function options(
  element: HTMLElement,
  counts: () => Counts,
  onSelect: (from: number, to: number) => void,
): uPlot.Options {
  /** a canvas knows colours, not roles; the colour is read at each drawing, since the appearance may change */
  const colour = (role: string) => () => {
    element.style.color = `var(${role})`;
    const { color } = getComputedStyle(element);
    element.style.color = '';
    return color;
  };
  const bars = uPlot.paths.bars?.({ size: [0.8, 24], align: 1 });
  const series = (fill: () => string): uPlot.Series => ({
    fill,
    stroke: fill,
    width: 0,
    points: { show: false },
    ...(bars === undefined ? {} : { paths: bars }),
  });
  return {
    width: element.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false, setScale: false } },
    axes: [{ show: false }, { show: false }],
    scales: {
      x: { range: () => [counts().from / 1000, counts().to / 1000] },
      y: { range: (_plot, _low, high) => [0, Math.max(1, high)] },
    },
    series: [{}, series(colour('--bar')), series(colour('--bar-wrong'))],
    hooks: {
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          if (width > 2) onSelect(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
        },
      ],
    },
  };
}

/** uPlot counts in seconds; failures are drawn on top. */
function data(counts: Counts): uPlot.AlignedData {
  const length = Math.max(1, Math.ceil((counts.to - counts.from) / counts.width));
  const places = Array.from({ length }, (_, place) => place);
  const sum = (of: readonly (readonly number[] | undefined)[]) =>
    places.map((place) => of.reduce((total, some) => total + (some?.[place] ?? 0), 0));
  return [
    places.map((place) => (counts.from + place * counts.width) / 1000),
    sum(Object.values(counts.counts)),
    sum(wrong.map((outcome) => counts.counts[outcome])),
  ];
}

function sumUp(counts: Counts): { all: number; wrong: number } {
  const [, all = [], wrongs = []] = data(counts);
  const sum = (numbers: ArrayLike<number | null | undefined>) =>
    Array.from(numbers).reduce<number>((total, number) => total + (number ?? 0), 0);
  return { all: sum(all), wrong: sum(wrongs) };
}

/** `from` and `to` in seconds. */
function stretch(from: number, to: number): string {
  const written = (seconds: number) => new Date(seconds * 1000).toISOString();
  return `since:${written(from)} until:${written(to)}`;
}

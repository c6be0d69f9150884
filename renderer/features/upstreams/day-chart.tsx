/** A provider's last 24 hours: latency with its band, and below it in which intervals it answered. */
import { useState } from 'react';
import type { Series } from '../../../app/contract/status/series.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './day-chart.module.css';
import { describe, summary } from './day-words.ts';
import {
  bandPath,
  type Day,
  medianPath,
  type Standing,
  standings,
  stretchesOf,
} from './provider-day.ts';

interface DayChartProps {
  name: string;
  day: Day;
  series: Pick<Series, 'since' | 'step'>;
  /** the latency at its top, in milliseconds */
  top: number;
}

const latencyHeight = 40;
const stripTop = 44;
const height = 56;

/** The pointer, or the arrow keys, tell of an interval. */
export function DayChart({ name, day, series, top }: DayChartProps) {
  const { text, formats } = useWords();
  const [place, pick] = useState<number | null>(null);
  const count = day.queries.length;
  const last = count - 1;
  const told = place === null ? '' : describe(day, series, place, text, formats);

  function onPointerMove({ currentTarget, clientX }: React.PointerEvent): void {
    const { left, width } = currentTarget.getBoundingClientRect();
    pick(Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * count))));
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    const to = {
      ArrowLeft: (place ?? count) - 1,
      ArrowRight: (place ?? -1) + 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    pick(Math.min(last, Math.max(0, to)));
  }

  return (
    <div className={styles.figure}>
      <div
        className={styles.chart}
        role="slider"
        tabIndex={0}
        aria-label={text.upstreams.day.title(name)}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={place ?? last}
        aria-valuetext={place === null ? summary(day, text, formats) : told}
        onKeyDown={onKeyDown}
        onBlur={() => pick(null)}
        onPointerMove={onPointerMove}
        onPointerLeave={() => pick(null)}
      >
        <svg viewBox={`0 0 ${count} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {place === null ? null : (
            <rect className={styles.picked} x={place} y={0} width={1} height={height} />
          )}
          <path className={styles.band} d={bandPath(day, latencyHeight, top)} />
          <path className={styles.median} d={medianPath(day, latencyHeight, top)} />
          {stretchesOf(day).map(({ from, to, standing }) => (
            <Blocks key={from} of={standing} from={from} to={to} top={stripTop} bottom={height} />
          ))}
        </svg>
      </div>
      {place === null ? null : (
        <p
          className={styles.tip}
          data-side={place > last / 2 ? 'left' : 'right'}
          aria-hidden="true"
        >
          {told}
        </p>
      )}
    </div>
  );
}

/** What lines and shapes of all charts below it mean, and what they are drawn from. */
export function DayLegend({ top }: { top: number }) {
  const { text, formats } = useWords();
  const words = text.upstreams.day;
  return (
    <ul className={styles.legend} aria-label={words.legend}>
      {top === 0 ? null : (
        <>
          <li>{words.scale(formats.latency(top))}</li>
          <li>
            <Sample>
              <path className={styles.median} d="M1 6H15" />
            </Sample>
            {words.median}
          </li>
          <li>
            <Sample>
              <path className={styles.band} d="M1 1H15V11H1Z" />
            </Sample>
            {words.most}
          </li>
        </>
      )}
      {standings.map((standing) => (
        <li key={standing}>
          <Sample>
            <Blocks of={standing} from={1} to={15} top={0} bottom={12} />
          </Sample>
          {words.standings[standing]}
        </li>
      ))}
    </ul>
  );
}

function Sample({ children }: { children: React.ReactNode }) {
  return (
    <svg className={styles.sample} viewBox="0 0 16 12" aria-hidden="true">
      {children}
    </svg>
  );
}

interface BlocksProps {
  of: Standing;
  from: number;
  to: number;
  top: number;
  bottom: number;
}

/** Their heights tell them apart: half, half with a cap above it, whole, a line. */
function Blocks({ of, from, to, top, bottom }: BlocksProps) {
  const block = (y: number, until: number) => `M${from} ${y}H${to}V${until}H${from}Z`;
  return (
    <>
      {of === 'answered' || of === 'some-failed' ? (
        <path className={styles.answered} d={block(bottom - 6, bottom)} />
      ) : null}
      {of === 'some-failed' ? <path className={styles.failed} d={block(top, top + 4)} /> : null}
      {of === 'none-answered' ? <path className={styles.failed} d={block(top, bottom)} /> : null}
      {of === 'not-asked' ? <path className={styles.idle} d={block(bottom - 1, bottom)} /> : null}
    </>
  );
}

/** A provider's last 24 hours beside its name: its latency with its band. The page Providers has the whole picture. */
import { useWords } from '../../text/use-text.ts';
import styles from './day-chart.module.css';
import { summary } from './day-words.ts';
import { bandPath, type Day, medianPath } from './provider-day.ts';

interface DaySparklineProps {
  name: string;
  day: Day;
  /** the latency at its top, in milliseconds */
  top: number;
}

const height = 24;

export function DaySparkline({ name, day, top }: DaySparklineProps) {
  const { text, formats } = useWords();
  return (
    <svg
      className={styles.sparkline}
      role="img"
      aria-label={`${text.upstreams.day.title(name)}: ${summary(day, text, formats)}`}
      viewBox={`0 0 ${day.p50.length} ${height}`}
      preserveAspectRatio="none"
    >
      <path className={styles.band} d={bandPath(day, height, top)} />
      <path className={styles.median} d={medianPath(day, height, top)} />
    </svg>
  );
}

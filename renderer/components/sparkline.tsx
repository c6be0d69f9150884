/** The shape of a figure over time, without axes; the figure itself stands beside it as text. */
import styles from './sparkline.module.css';

interface SparklineProps {
  /** oldest first; null: nothing was measured then */
  values: readonly (number | null)[];
  /** its meaning, for people who can't see it */
  label: string;
  width?: number;
  height?: number;
}

export function Sparkline({ values, label, width = 96, height = 20 }: SparklineProps) {
  return (
    <svg
      className={styles.sparkline}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      preserveAspectRatio="none"
    >
      <path className={styles.base} d={`M0 ${height - 0.5}H${width}`} />
      <path className={styles.line} d={pathThrough(values, width, height)} />
    </svg>
  );
}

/** From zero to the highest value; gaps where nothing was measured. */
export function pathThrough(
  values: readonly (number | null)[],
  width: number,
  height: number,
): string {
  const highest = Math.max(0, ...values.map((value) => value ?? 0));
  const step = width / Math.max(1, values.length - 1);
  let drawing = false;
  return values
    .map((value, index) => {
      if (value === null) {
        drawing = false;
        return '';
      }
      const x = round(index * step);
      const y = round(height - 1 - (highest === 0 ? 0 : value / highest) * (height - 2));
      const command = drawing ? 'L' : 'M';
      drawing = true;
      return `${command}${x} ${y}`;
    })
    .join('');
}

const round = (value: number) => Math.round(value * 10) / 10;

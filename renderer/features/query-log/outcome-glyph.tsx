/** What became of a query, told by shape before colour. */
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';
import styles from './outcome-glyph.module.css';

type Shape = 'encrypted' | 'cached' | 'here' | 'exception' | 'unencrypted' | 'blocked' | 'failed';

export function shapeOf({ outcome, clear }: QueryEvent): Shape {
  if (outcome === 'refused') return 'blocked';
  if (outcome === 'failed' || outcome === 'dropped') return 'failed';
  if (clear !== 'none') return clear === 'bypass' ? 'exception' : 'unencrypted';
  if (outcome === 'cached' || outcome === 'stale') return 'cached';
  return outcome === 'local' ? 'here' : 'encrypted';
}

/** In a square of twelve. */
const drawn: Record<Shape, React.ReactNode> = {
  encrypted: <circle cx="6" cy="6" r="5" className={styles.filled} />,
  cached: <circle cx="6" cy="6" r="4" className={styles.line} />,
  here: <circle cx="6" cy="6" r="2.5" className={styles.filled} />,
  exception: <path d="M6 .5 11.5 6 6 11.5.5 6Z" className={styles.filled} />,
  unencrypted: (
    <g className={styles.line}>
      <circle cx="6" cy="6" r="4" />
      <path d="M1.5 10.5 10.5 1.5" />
    </g>
  ),
  blocked: <path d="M1 1h10v10H1Z" className={styles.filled} />,
  failed: <path d="M2 2 10 10M10 2 2 10" className={styles.line} />,
};

export function OutcomeGlyph({ event }: { event: QueryEvent }) {
  const shape = shapeOf(event);
  return (
    <svg className={styles.glyph} data-shape={shape} viewBox="0 0 12 12" aria-hidden="true">
      {drawn[shape]}
    </svg>
  );
}

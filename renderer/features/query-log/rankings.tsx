/** What occurs most among the rows that fit: domains, programs or clients. */
import { filterOfValue } from '../../../app/contract/query-log/filter-of-value.ts';
import type { LogResult, TopKind } from '../../../app/contract/query-log/log-api.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { useWords } from '../../text/use-text.ts';
import type { Rows } from './query-log-store.ts';
import styles from './rankings.module.css';
import { useCounted } from './use-counted.ts';

const most = 100;

interface RankingsProps {
  by: TopKind;
  filter: string;
  rows: Rows;
  /** of a term that finds the rows of one value */
  onChoose(term: string): void;
}

export function Rankings({ by, filter, rows, onChoose }: RankingsProps) {
  const { text, formats } = useWords();
  const words = text.queryLog.rankings;
  const { value, isOld, failure, progress } = useCounted(
    { method: 'log.top', key: `${by} ${filter}`, params: () => ({ by, filter, limit: most }) },
    rows,
  );
  if (failure !== null)
    return (
      <p className={styles.quiet} role="alert">
        <FailureWords failure={failure} />
      </p>
    );
  if (value === null || (isOld && progress !== null))
    return (
      <p className={styles.quiet} role="status">
        {progress === null ? text.chart.counting : text.queryLog.searching(formats.share(progress))}
      </p>
    );
  if (value.rows.length === 0) return <EmptyState title={words.none[by]} />;
  return (
    <div className={styles.scroller}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{words.by[by]}</th>
            <th scope="col" className={styles.number}>
              {words.queries}
            </th>
            <th scope="col" className={styles.number}>
              {words.share}
            </th>
          </tr>
        </thead>
        <tbody>
          {value.rows.map((row) => (
            <Ranked key={row.value} by={by} row={row} of={value} onChoose={onChoose} />
          ))}
        </tbody>
      </table>
      <Others of={value} />
    </div>
  );
}

type Top = LogResult<'top'>;

interface RankedProps {
  by: TopKind;
  row: Top['rows'][number];
  of: Top;
  onChoose(term: string): void;
}

function Ranked({ by, row: { value, count }, of, onChoose }: RankedProps) {
  const { text, formats } = useWords();
  const term = filterOfValue(by, value);
  const highest = of.rows[0]?.count ?? count;
  return (
    <tr>
      <th scope="row" className={styles.value}>
        <i style={{ width: `${(count / highest) * 100}%` }} />
        {term === null ? (
          <span>{safe(value)}</span>
        ) : (
          <button
            type="button"
            title={text.queryLog.rankings.show(safe(value))}
            onClick={() => onChoose(term)}
          >
            {safe(value)}
          </button>
        )}
      </th>
      <td className={styles.number}>
        {of.isExact ? '' : '≥ '}
        {formats.count(count)}
      </td>
      <td className={styles.number}>{formats.share(count / Math.max(1, of.queries))}</td>
    </tr>
  );
}

/** The rows under no value, or under one that occurs less. */
function Others({ of: { rows, queries } }: { of: Top }) {
  const { text, formats } = useWords();
  const others = queries - rows.reduce((sum, { count }) => sum + count, 0);
  return others <= 0 ? null : (
    <p className={styles.quiet}>
      {text.queryLog.rankings.others(formats.count(others), others === 1)}
    </p>
  );
}

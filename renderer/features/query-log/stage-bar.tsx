/** Where the time went, stage by stage, as wide as it took. */
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './stage-bar.module.css';

const stages = ['policy', 'cache', 'connect', 'wait', 'response'] as const;

export function StageBar({ event }: { event: QueryEvent }) {
  const { text, formats } = useWords();
  const spent = stages.filter((stage) => event.stages[stage] > 0);
  // below 1 in all, they would not fill the line
  const longest = Math.max(...stages.map((stage) => event.stages[stage]));
  return (
    <div className={styles.stages}>
      <div className={styles.strip} aria-hidden="true">
        {spent.map((stage) => (
          <span
            key={stage}
            className={styles.block}
            data-stage={stage}
            style={{ flexGrow: event.stages[stage] / longest }}
          />
        ))}
      </div>
      <ol className={styles.labels} aria-label={text.queryLog.detail.stages}>
        {spent.map((stage) => (
          <li key={stage} data-stage={stage}>
            {text.queryLog.stages[stage]} {formats.latency(event.stages[stage])}
          </li>
        ))}
      </ol>
    </div>
  );
}

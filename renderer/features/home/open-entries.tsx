/**
 * What may leave unencrypted now, beside the names of exceptions: these are in force all the time, the sentence counts them, and the
 * page Exceptions names them.
 */
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Chip } from '../../components/chip.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { useNow } from '../../state/now.ts';
import { Rich } from '../../text/rich.tsx';
import { wordsForSetter } from '../../text/said.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './section.module.css';

export function OpenEntries({ entries }: { entries: readonly LedgerEntry[] }) {
  const { text } = useWords();
  const others = entries.filter(({ class: kind }) => kind !== 'bypass');
  if (others.length === 0) return null;
  const { title } = text.home.open;
  return (
    <section className={styles.section}>
      <h2>{title}</h2>
      <Rows label={title}>
        {others.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </Rows>
    </section>
  );
}

function Entry({ entry }: { entry: LedgerEntry }) {
  const { text, formats, language } = useWords();
  const now = useNow();
  const words = text.home.open;
  const { count, until, since, who, rule, group } = entry;
  const about = rule === '' ? group : rule;
  return (
    <Row>
      <Chip tone="exposed">{words.classes[entry.class]}</Chip>
      {about === '' ? null : <span>{safe(about)}</span>}
      <span>
        {count === null ? words.uncounted : words.counted(formats.count(count), count === 1)}
      </span>
      <span className={styles.quiet}>{words.since(formats.moment(since, now))}</span>
      <span className={styles.quiet}>
        {until === null ? words.noEnd : words.left(formats.countdown(until - now))}
      </span>
      <span className={styles.quiet}>
        <Rich of={words.by} who={wordsForSetter(who, language)} />
      </span>
    </Row>
  );
}

/** What may leave unencrypted now: each permission, who gave it, how long it still lasts, and a button that ends it. */
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { rulesInList } from '../../../app/contract/protection/list-word.ts';
import { type BypassRule, isRuleOf } from '../../../app/contract/settings/bypass-rule.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Chip } from '../../components/chip.tsx';
import { Section } from '../../components/page-body.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { useNow } from '../../state/now.ts';
import { Rich } from '../../text/rich.tsx';
import { wordsForSetter } from '../../text/said.ts';
import { useWords } from '../../text/use-text.ts';
import { StopEntry } from '../ledger/stop-entry.tsx';
import styles from './exceptions.module.css';
import { ruleWords } from './rule-in-words.ts';

interface InForceProps {
  /** null: not known yet */
  entries: readonly LedgerEntry[] | null;
  rules: readonly BypassRule[];
  /** who set the rules lets nobody change them */
  locked: boolean;
  /** the page removes rules, and can undo it */
  onRemove(rule: BypassRule): void;
  /** it was ended in another way */
  onStopped(words: string): void;
}

export function InForce({ entries, ...rest }: InForceProps) {
  const { text } = useWords();
  const { title, nothing } = text.exceptions.now;
  const sorted =
    entries === null ? undefined : [...entries].sort((one, other) => rank(one) - rank(other));
  return (
    <Section title={title}>
      {sorted === undefined ? (
        <p>{text.frame.loading}</p>
      ) : sorted.length === 0 ? (
        <p>{nothing}</p>
      ) : (
        <Rows label={title}>
          {sorted.map((entry) => (
            <Entry key={entry.id} entry={entry} {...rest} />
          ))}
        </Rows>
      )}
    </Section>
  );
}

/** What takes every name along comes first. */
function rank({ class: kind }: LedgerEntry): number {
  return kind === 'bypass' ? 1 : 0;
}

interface EntryProps extends Omit<InForceProps, 'entries'> {
  entry: LedgerEntry;
}

function Entry({ entry, rules, locked, onRemove, onStopped }: EntryProps) {
  const spoken = useWords();
  const { text, formats, language } = spoken;
  const now = useNow();
  const words = text.home.open;
  const { count, until, since, rule, group } = entry;
  const own = rules.find((one) => isRuleOf(rule, one));
  const listed = rulesInList(rule);
  const single = own === undefined ? safe(rule || group) : ruleWords(own, spoken);
  const about = listed === null ? single : text.ledger.list(formats.count(listed));
  return (
    <Row>
      <div className={styles.what}>
        <span className={styles.head}>
          <Chip tone="exposed">{words.classes[entry.class]}</Chip>
          {about === '' ? null : <strong className={styles.names}>{about}</strong>}
        </span>
        <span className={styles.note}>
          <Rich of={words.by} who={wordsForSetter(entry.who, language)} />,{' '}
          {words.since(formats.moment(since, now))},{' '}
          {count === null ? words.uncounted : words.counted(formats.count(count), count === 1)}
        </span>
      </div>
      <span className={styles.left}>
        {until === null ? words.noEnd : words.left(formats.countdown(until - now))}
      </span>
      <div className={styles.act}>
        {own === undefined ? (
          <StopEntry entry={entry} onStopped={onStopped} />
        ) : locked ? null : (
          <StopEntry entry={entry} remove={() => onRemove(own)} />
        )}
      </div>
    </Row>
  );
}

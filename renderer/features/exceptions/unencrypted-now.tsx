/** What may leave unencrypted now, apart from exceptions for single names, which have a list of their own. */
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { Section } from '../../components/page-body.tsx';
import { Rows } from '../../components/rows.tsx';
import { useWords } from '../../text/use-text.ts';
import { Entry } from '../ledger/entry.tsx';
import styles from './exceptions.module.css';

export function UnencryptedNow({ open }: { open: readonly LedgerEntry[] }) {
  const { text } = useWords();
  const words = text.exceptions.now;
  const others = open.filter(({ class: kind }) => kind !== 'bypass');
  const names = open.length - others.length;
  return (
    <Section title={words.title}>
      {others.length === 0 ? (
        <p className={styles.calm}>{names === 0 ? words.nothing : words.namesOnly}</p>
      ) : (
        <Rows label={words.title}>
          {others.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </Rows>
      )}
    </Section>
  );
}

/** The Ledger page: every permission to send in cleartext, the open ones first. */
import { type ClearClass, clearClasses } from '../../../app/contract/engine-words.ts';
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { readLedger } from '../../../app/contract/protection/read-ledger.ts';
import { host } from '../../bridge/host.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { Field, Select } from '../../components/field.tsx';
import { PageBody, Section } from '../../components/page-body.tsx';
import { Rows } from '../../components/rows.tsx';
import { showInstead, useRoute } from '../../state/route.ts';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { Entry } from './entry.tsx';
import styles from './ledger.module.css';
import { ledgerCsv } from './ledger-csv.ts';
import { isOfDay, type LedgerDay, readDay } from './of-day.ts';

type Kind = Exclude<ClearClass, 'none'>;
const kinds = clearClasses.filter((name): name is Kind => name !== 'none');

export function LedgerPage() {
  const { text } = useWords();
  const { session, ledger } = useService();
  const live = useLive();
  const known = useStore(ledger)?.value.entries ?? null;
  const asked = useRoute().query.get('class');
  const kind = kinds.find((name) => name === asked) ?? null;
  const day = readDay(useRoute().query.get('day'));
  const entries = (known ?? []).filter((entry) => isOfKind(entry, kind) && isOfDay(entry, day));

  async function save(): Promise<void> {
    const read = await readLedger(session, { class: kind ?? undefined });
    if (!read.ok) return tellFailure(read.failure);
    const csv = ledgerCsv(read.value);
    host.save('sotto-ledger.csv', new Blob([csv], { type: 'text/csv' }));
  }

  return (
    <PageBody
      title={text.frame.pages.ledger}
      about={text.ledger.about}
      actions={
        <Button disabled={!live || entries.length === 0} onClick={() => void save()}>
          {text.ledger.export}
        </Button>
      }
    >
      <Content known={known} kind={kind} day={day} entries={entries} />
    </PageBody>
  );
}

interface ContentProps {
  /** null: not known yet */
  known: readonly LedgerEntry[] | null;
  kind: Kind | null;
  day: LedgerDay | null;
  /** of that kind and day */
  entries: readonly LedgerEntry[];
}

function Content({ known, kind, day, entries }: ContentProps) {
  const { text } = useWords();
  if (known === null) return <p>{text.frame.loading}</p>;
  if (known.length === 0)
    return <EmptyState title={text.ledger.never}>{text.ledger.neverWhy}</EmptyState>;
  return (
    <>
      <div className={styles.filter}>
        <Field label={text.ledger.class} hint={kind === null ? null : text.ledger.means[kind]}>
          {(attributes) => (
            <Select
              {...attributes}
              value={kind ?? 'all'}
              options={[
                ['all', text.ledger.all],
                ...kinds.map((name) => [name, text.home.open.classes[name]] as const),
              ]}
              onChoose={(chosen) =>
                showInstead('ledger', chosen === 'all' ? {} : { class: chosen })
              }
            />
          )}
        </Field>
      </div>
      {day === null ? null : <OfDay day={day} />}
      <Entries entries={entries} />
    </>
  );
}

function isOfKind(entry: LedgerEntry, kind: Kind | null): boolean {
  return kind === null || entry.class === kind;
}

function OfDay({ day: { from } }: { day: LedgerDay }) {
  const { formats } = useWords();
  const day = formats.day(from);
  return (
    <p>
      <Chip what={day} onRemove={() => showInstead('ledger')}>
        {day}
      </Chip>
    </p>
  );
}

function Entries({ entries }: { entries: readonly LedgerEntry[] }) {
  const { text } = useWords();
  const open = entries.filter(({ closed }) => closed === null);
  const ended = entries.filter(({ closed }) => closed !== null);
  if (entries.length === 0) return <p>{text.ledger.noneOfClass}</p>;
  return (
    <>
      <Section title={text.ledger.open}>
        {open.length === 0 ? (
          <p>{text.ledger.noneOpen}</p>
        ) : (
          <EntryList label={text.ledger.open} entries={open} />
        )}
      </Section>
      {ended.length === 0 ? null : (
        <Section title={text.ledger.closed}>
          <EntryList label={text.ledger.closed} entries={ended} />
        </Section>
      )}
    </>
  );
}

function EntryList({ label, entries }: { label: string; entries: readonly LedgerEntry[] }) {
  return (
    <Rows label={label}>
      {entries.map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
    </Rows>
  );
}

/** All exceptions: every permission to send unencrypted, the open ones first, of one day or of all. */
import { type ClearClass, clearClasses } from '../../../app/contract/engine-words.ts';
import type { LedgerEntry } from '../../../app/contract/protection/ledger-entry.ts';
import { readLedger } from '../../../app/contract/protection/read-ledger.ts';
import { host } from '../../bridge/host.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { Field, Select } from '../../components/field.tsx';
import { PageBody, Section } from '../../components/page-body.tsx';
import { Rows } from '../../components/rows.tsx';
import { linkTo, showInstead, useRoute } from '../../state/route.ts';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { dayNamed, isInForce } from '../exceptions/past-days.ts';
import { Entry } from './entry.tsx';
import styles from './ledger.module.css';
import { ledgerCsv } from './ledger-csv.ts';

type Kind = Exclude<ClearClass, 'none'>;
const kinds = clearClasses.filter((name): name is Kind => name !== 'none');

export function LedgerPage() {
  const { text } = useWords();
  const { session, ledger } = useService();
  const live = useLive();
  const known = useStore(ledger)?.value.entries ?? null;
  const { query } = useRoute();
  const kind = kindNamed(query.get('class'));
  const day = query.get('day') ?? '';
  const during = (known ?? []).filter(isOfDay(day));
  const entries = during.filter((entry) => kind === null || entry.class === kind);

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
      {known === null ? (
        <p>{text.frame.loading}</p>
      ) : known.length === 0 ? (
        <EmptyState title={text.ledger.never}>{text.ledger.neverWhy}</EmptyState>
      ) : (
        <>
          <KindFilter kind={kind} day={day} />
          <Day of={day} />
          <Entries
            entries={entries}
            none={during.length === 0 ? text.ledger.noneOfDay : text.ledger.noneOfClass}
          />
        </>
      )}
    </PageBody>
  );
}

function kindNamed(asked: string | null): Kind | null {
  return kinds.find((name) => name === asked) ?? null;
}

/** A day that was asked for stays. */
function KindFilter({ kind, day }: { kind: Kind | null; day: string }) {
  const { text } = useWords();
  const choose = (chosen: Kind | 'all') =>
    showInstead('ledger', {
      ...(chosen === 'all' ? {} : { class: chosen }),
      ...(day === '' ? {} : { day }),
    });
  return (
    <div className={styles.filter}>
      <Field label={text.ledger.class} hint={kind === null ? null : text.ledger.means[kind]}>
        {(attributes) => (
          <Select<Kind | 'all'>
            {...attributes}
            value={kind ?? 'all'}
            options={[
              ['all', text.ledger.all],
              ...kinds.map((name) => [name, text.home.open.classes[name]] as const),
            ]}
            onChoose={choose}
          />
        )}
      </Field>
    </div>
  );
}

/** Every entry where no day was asked for. */
function isOfDay(name: string): (entry: LedgerEntry) => boolean {
  const day = dayNamed(name);
  return (entry) => day === null || isInForce(entry, ...day, Date.now());
}

function Day({ of: name }: { of: string }) {
  const { text, formats } = useWords();
  if (dayNamed(name) === null) return null;
  return (
    <p>
      {text.ledger.dayOf(formats.date(name))}. <a href={linkTo('ledger')}>{text.ledger.everyDay}</a>
    </p>
  );
}

interface EntriesProps {
  entries: readonly LedgerEntry[];
  /** why there are none */
  none: string;
}

function Entries({ entries, none }: EntriesProps) {
  const { text } = useWords();
  const open = entries.filter(({ closed }) => closed === null);
  const ended = entries.filter(({ closed }) => closed !== null);
  if (entries.length === 0) return <p>{none}</p>;
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

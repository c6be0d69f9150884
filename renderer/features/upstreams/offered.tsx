/** The catalogue of resolvers, with what each operator says about itself. */
import { Fragment } from 'react';
import { hasEnded } from '../../../app/contract/settings/has-ended.ts';
import type { CatalogueEntry } from '../../../app/contract/settings/upstream-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { useLive } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './add-dialog.module.css';
import { Fact } from './fact.tsx';
import { Stated } from './stated.tsx';
import type { Edits } from './use-edits.ts';

interface OfferedProps {
  catalogue: readonly CatalogueEntry[];
  edits: Pick<Edits, 'add'>;
  onClose(): void;
}

export function Offered({ catalogue, edits, onClose }: OfferedProps) {
  const { text } = useWords();
  const live = useLive();
  const words = text.upstreams.catalogue;

  async function add(resolver: string): Promise<void> {
    const added = await edits.add({ resolver });
    if (added.ok) onClose();
    else tellFailure(added.failure);
  }

  return (
    <>
      <p className={styles.intro}>{words.intro}</p>
      <ul className={styles.offered} aria-label={words.list}>
        {catalogue.map((resolver) => (
          <Offer
            key={resolver.id}
            resolver={resolver}
            onAdd={live ? () => void add(resolver.id) : null}
          />
        ))}
      </ul>
    </>
  );
}

interface OfferProps {
  resolver: CatalogueEntry;
  /** null: nothing can be added now */
  onAdd: (() => void) | null;
}

export function Offer({ resolver, onAdd }: OfferProps) {
  const { text } = useWords();
  const words = text.upstreams.catalogue;
  const { label, operator, upstream, filtering, retired } = resolver;
  const name = safe(label);
  return (
    <li className={styles.offer}>
      <div>
        <h3>{name}</h3>
        <p className={styles.quiet}>
          <Stated english={operator} />
        </p>
        <p className={styles.quiet}>
          <Stated english={filtering} />
        </p>
      </div>
      {upstream !== null ? (
        <Chip>{words.inUse}</Chip>
      ) : retired !== null ? (
        <Chip>{words.retired}</Chip>
      ) : (
        <Button
          disabled={onAdd === null}
          aria-label={words.addOne(name)}
          onClick={onAdd ?? undefined}
        >
          {words.add}
        </Button>
      )}
      <details>
        <summary>
          {text.home.details} <span className="spoken">{name}</span>
        </summary>
        <Statements of={resolver} />
      </details>
    </li>
  );
}

function Statements({ of }: { of: CatalogueEntry }) {
  const { text, formats } = useWords();
  const words = text.upstreams.catalogue;
  const { transport, validation, logging, source, checked, inCleartext, retired } = of;
  return (
    <dl>
      <Fact term={words.logging}>
        <Stated english={logging} />
      </Fact>
      <Fact term={words.validation}>
        {validation === null ? words.unsaid : <Stated english={validation} />}
      </Fact>
      <Fact term={words.transport}>{text.queryLog.transports[transport]}</Fact>
      <Fact term={words.source}>
        <code>{safe(source)}</code>
      </Fact>
      <Fact term={words.checked}>
        {formats.date(checked.on)}, {words.against[checked.by]}:{' '}
        {checked.against.map((page, index) => (
          <Fragment key={page}>
            {index === 0 ? '' : ', '}
            <code>{safe(page)}</code>
          </Fragment>
        ))}
      </Fact>
      {inCleartext === 'every name' ? null : <Fact term={words.inCleartext}>{words.ownNames}</Fact>}
      {retired === null ? null : (
        <Fact term={hasEnded(retired.on, Date.now()) ? words.ended : words.ends}>
          {formats.date(retired.on)}, <code>{safe(retired.notice)}</code>
        </Fact>
      )}
    </dl>
  );
}

/** The catalogue of resolvers: operator, the operator's own statements, and how fast each responds from here. */
import { Fragment } from 'react';
import { type CatalogueEntry, hasEnded } from '../../../app/contract/settings/upstream-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { Row, Rows } from '../../components/rows.tsx';
import { useWords } from '../../text/use-text.ts';
import styles from './catalogue.module.css';
import { MeasureButton, MeasuredLatency } from './measured.tsx';
import { Fact } from './tested-connection.tsx';
import { byLatency, type Measuring, useCatalogue, useMeasuring } from './use-catalogue.ts';
import type { Edits } from './use-edits.ts';

export function Catalogue({ editable, edits }: { editable: boolean; edits: Edits }) {
  const { text } = useWords();
  const resolvers = useCatalogue();
  const measuring = useMeasuring();
  const words = text.upstreams.catalogue;
  if (resolvers === null) return <EmptyState title={text.frame.loading} />;
  // While results come no row moves; then the fastest comes first.
  const shown = measuring.running ? resolvers : byLatency(resolvers, measuring.measured);
  return (
    <section className={styles.section}>
      <h2>{words.title}</h2>
      <p className={styles.intro}>{words.intro}</p>
      <MeasureButton
        measuring={measuring}
        of={resolvers.filter(({ retired }) => retired === null).length}
      />
      <Rows label={words.list}>
        {shown.map((resolver) => (
          <Resolver
            key={resolver.id}
            resolver={resolver}
            measuring={measuring}
            editable={editable}
            edits={edits}
          />
        ))}
      </Rows>
    </section>
  );
}

interface ResolverProps {
  resolver: CatalogueEntry;
  measuring: Measuring;
  editable: boolean;
  edits: Edits;
}

export function Resolver({ resolver, measuring, editable, edits }: ResolverProps) {
  const { text, formats } = useWords();
  const words = text.upstreams.catalogue;
  const { id, label, operator, upstream, source, filtering, validation, logging } = resolver;
  const { checked, inCleartext, retired } = resolver;

  async function add(): Promise<void> {
    const added = await edits.add({ resolver: id });
    if (!added.ok) tellFailure(added.failure);
  }

  return (
    <Row>
      <div className={styles.resolver}>
        <div className={styles.who}>
          <h3>{safe(label)}</h3>
          <span className={styles.quiet}>
            {safe(operator)} · {text.queryLog.transports[resolver.transport]}
          </span>
          <MeasuredLatency of={id} measuring={measuring} />
        </div>
        <dl className={styles.facts}>
          <Claim term={words.filtering} said={filtering} />
          <Claim term={words.validation} said={validation} />
          <Claim term={words.logging} said={logging} />
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
          {inCleartext === 'every name' ? null : (
            <Fact term={words.inCleartext}>{words.ownNames}</Fact>
          )}
          {retired === null ? null : (
            <Fact term={hasEnded(retired.on, Date.now()) ? words.ended : words.ends}>
              {formats.date(retired.on)}, <code>{safe(retired.notice)}</code>
            </Fact>
          )}
        </dl>
        <div className={styles.use}>
          {upstream === null && retired !== null ? (
            <Chip>{words.retired}</Chip>
          ) : upstream === null ? (
            <Button disabled={!editable} aria-label={words.addOne(safe(label))} onClick={add}>
              {words.add}
            </Button>
          ) : (
            <Chip>{words.inUse(safe(upstream))}</Chip>
          )}
        </div>
      </div>
    </Row>
  );
}

/** The operator's own statement, which is English. */
function Claim({ term, said }: { term: string; said: string | null }) {
  const { text } = useWords();
  const unsaid = text.upstreams.catalogue.unsaid;
  return <Fact term={term}>{said === null ? unsaid : <span lang="en">{safe(said)}</span>}</Fact>;
}

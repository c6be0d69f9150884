/** Asks all providers in use, and others when chosen, how fast they answer, and draws that as bars. */
import { useState } from 'react';
import { comparedQueries } from '../../../app/contract/bounds.ts';
import type { CatalogueEntry } from '../../../app/contract/settings/upstream-methods.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { Cause, TriedInVain } from '../../components/told.tsx';
import { useLive, useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './compare.module.css';
import {
  bySpeed,
  type Candidate,
  candidatesOf,
  keyOf,
  lengthOf,
  type Measured,
} from './compared.ts';
import { type Comparing, useComparing } from './use-comparing.ts';
import type { Edits } from './use-edits.ts';

interface CompareProps {
  catalogue: readonly CatalogueEntry[];
  editable: boolean;
  edits: Pick<Edits, 'add'>;
  nameOf(id: string): string;
}

export function Compare({ catalogue, editable, edits, nameOf }: CompareProps) {
  const { text, formats } = useWords();
  const upstreams = useStore(useService().status)?.value.upstreams ?? [];
  const live = useLive();
  const [others, setOthers] = useState(false);
  const comparing = useComparing();
  const { running, candidates, found, begin, cancel } = comparing;
  const words = text.upstreams.compare;
  // While results come no row moves; then the fastest comes first.
  const shown = running ? candidates : bySpeed(candidates, found);
  return (
    <section className={styles.section} aria-labelledby="compare">
      <h2 id="compare">{words.title}</h2>
      <p className={styles.quiet}>{words.intro(formats.count(comparedQueries))}</p>
      <div className={styles.begin}>
        <Button
          disabled={!live || upstreams.length === 0}
          onClick={running ? cancel : () => begin(candidatesOf(upstreams, catalogue, others))}
        >
          {running ? words.cancel : candidates.length === 0 ? words.action : words.again}
        </Button>
        <label className={styles.others}>
          <input
            type="checkbox"
            checked={others}
            disabled={running || catalogue.length === 0}
            onChange={({ currentTarget }) => setOthers(currentTarget.checked)}
          />
          <span>
            {words.also} <span className={styles.quiet}>{words.alsoMeans}</span>
          </span>
        </label>
      </div>
      <Progress of={comparing} />
      {shown.length === 0 ? null : (
        <ul className={styles.list} aria-label={words.list}>
          {shown.map((one) => (
            <Line
              key={keyOf(one)}
              name={nameOf(one.id)}
              of={one}
              comparing={comparing}
              onAdd={editable && isFree(one) ? () => void add(one.id) : null}
            />
          ))}
        </ul>
      )}
    </section>
  );

  function isFree({ kind, id }: Candidate): boolean {
    return kind === 'resolver' && catalogue.find((one) => one.id === id)?.upstream === null;
  }

  async function add(resolver: string): Promise<void> {
    const added = await edits.add({ resolver });
    if (!added.ok) tellFailure(added.failure);
  }
}

function Progress({ of: { running, candidates, found } }: { of: Comparing }) {
  const { text, formats } = useWords();
  const words = text.upstreams.compare;
  const [done, all] = [formats.count(found.size), formats.count(candidates.length)];
  const isWhole = running || found.size === candidates.length;
  return (
    <div role="status" className={styles.progress}>
      {running ? <progress aria-hidden="true" value={found.size} max={candidates.length} /> : null}
      {candidates.length === 0 ? null : (isWhole ? words.progress : words.stopped)(done, all)}
    </div>
  );
}

interface LineProps {
  name: string;
  of: Candidate;
  comparing: Comparing;
  /** null: it can't be added here */
  onAdd: (() => void) | null;
}

function Line({ name, of, comparing, onAdd }: LineProps) {
  const { text } = useWords();
  const words = text.upstreams;
  return (
    <li className={styles.line}>
      <div className={styles.name}>
        {name}
        {of.kind === 'upstream' ? null : (
          <span className={styles.quiet}> · {words.compare.notInUse}</span>
        )}
      </div>
      <Result of={comparing.found.get(keyOf(of))} comparing={comparing} />
      {onAdd === null ? null : (
        <Button className={styles.add} aria-label={words.catalogue.addOne(name)} onClick={onAdd}>
          {words.catalogue.add}
        </Button>
      )}
    </li>
  );
}

function Result({ of, comparing }: { of: Measured | undefined; comparing: Comparing }) {
  const { text, formats } = useWords();
  const words = text.upstreams.compare;
  if (of === undefined)
    return (
      <p className={styles.unknown}>{comparing.running ? words.measuring : words.unmeasured}</p>
    );
  const { responseMs, error, tried } = of;
  if (responseMs === null)
    return (
      <p className={styles.failed}>
        {words.unreachable} {error === null ? null : <Cause of={error} tried={tried} />}
      </p>
    );
  return (
    <>
      <span className={styles.bar}>
        <i style={{ width: `${lengthOf(responseMs, comparing.found) * 100}%` }} />
      </span>
      <strong className={styles.latency}>{formats.latency(responseMs)}</strong>
      {tried === undefined ? null : (
        <p className={styles.failed}>
          <TriedInVain at={tried} />
        </p>
      )}
    </>
  );
}

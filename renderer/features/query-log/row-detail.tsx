/** One query in full: where the time went, why it went there, what it cost, and actions. */
import { useEffect, useRef, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { Reason } from '../../components/told.tsx';
import { useService } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import { RowActions } from './row-actions.tsx';
import styles from './row-detail.module.css';
import { StageBar } from './stage-bar.tsx';
import { type Fact, useDescribed } from './use-described.ts';

interface RowDetailProps {
  id: number;
  /** the row in the list; null: it is fetched */
  known: QueryEvent | null;
  onFilter(term: string): void;
  onClose(): void;
}

export function RowDetail({ id, known, onFilter, onClose }: RowDetailProps) {
  const { text } = useWords();
  const { event, failure } = useEvent(id, known);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  return (
    <section
      ref={panel}
      tabIndex={-1}
      className={styles.detail}
      aria-label={text.queryLog.detail.title}
      onKeyDown={(pressed) => {
        if (pressed.key === 'Escape') onClose();
      }}
    >
      {event === null ? (
        <div className={styles.head}>
          {failure === null ? text.frame.loading : <FailureWords failure={failure} />}
          <Button variant="quiet" onClick={onClose}>
            {text.frame.close}
          </Button>
        </div>
      ) : (
        <Known event={event} onFilter={onFilter} onClose={onClose} />
      )}
    </section>
  );
}

function Known({
  event,
  onFilter,
  onClose,
}: { event: QueryEvent } & Omit<RowDetailProps, 'id' | 'known'>) {
  const { text, formats } = useWords();
  const facts = useDescribed(event);
  const name = safe(event.name) || text.queryLog.nameNotKept;
  return (
    <>
      <div className={styles.head}>
        <h2 className={styles.name}>
          <code>{name}</code> {safe(event.type)}
        </h2>
        <span className={styles.when}>
          {formats.dateTime(event.at)} · {formats.latency(event.ms)}
        </span>
        <Button variant="quiet" onClick={onClose}>
          {text.frame.close}
        </Button>
      </div>
      <StageBar event={event} />
      <dl className={styles.facts}>
        {facts.map(({ label, words, reason = '', saidBy, term }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              {words}
              {words === '' || reason === '' ? null : ' – '}
              <Said reason={reason} by={saidBy} />
              {term === null ? null : (
                <button type="button" className={styles.only} onClick={() => onFilter(term)}>
                  {text.queryLog.detail.onlyThese}
                </button>
              )}
            </dd>
          </div>
        ))}
      </dl>
      <RowActions event={event} />
    </>
  );
}

/** A server's own words stay as they are. */
function Said({ reason, by }: { reason: string; by: Fact['saidBy'] }) {
  if (reason === '') return null;
  return by === 'engine' ? <Reason of={reason} /> : <span lang="en">{safe(reason)}</span>;
}

function useEvent(id: number, known: QueryEvent | null) {
  const { session } = useService();
  const [event, setEvent] = useState(known);
  const [failure, setFailure] = useState<Failure | null>(null);
  const missing = event === null;
  useEffect(() => {
    if (!missing) return;
    let wanted = true;
    void session.call('log.event', { id }).then((found) => {
      if (!wanted) return;
      if (found.ok) setEvent(found.value.event);
      else setFailure(found.failure);
    });
    return () => {
      wanted = false;
    };
  }, [session, id, missing]);
  return { event, failure };
}

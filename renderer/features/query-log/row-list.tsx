/**
 * The rows, of which only the visible ones are drawn. J and K move through them, Enter opens one; a click on a program, a type or
 * who answered shows only rows like it.
 */
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { askerName } from '../../../app/contract/query-log/asker-name.ts';
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { useLatest } from '../../state/use-latest.ts';
import { useWords } from '../../text/use-text.ts';
import { attentionOf } from './attention.ts';
import { OutcomeGlyph } from './outcome-glyph.tsx';
import type { Rows } from './query-log-store.ts';
import styles from './row-list.module.css';
import { answeredBy, termOfAnswer, termOfProgram, termOfType } from './row-terms.ts';

interface RowListProps {
  rows: Rows;
  /** id of the row whose detail is shown; empty: none */
  opened: string;
  onOpen(event: QueryEvent | null): void;
  /** the list is not at its top, or the pointer is in it */
  onReading(reading: boolean): void;
  onMore(): void;
  /** show only rows that fit this term of the filter language */
  onFilter(term: string): void;
}

/** The focus returns here from the detail of a row. */
export const listId = 'query-log-list';

const rowHeight = 32;
const nearEnd = 40;

export function RowList({ rows, opened, onOpen, onReading, onMore, onFilter }: RowListProps) {
  const { text } = useWords();
  const { events } = rows;
  const scroller = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  const scrolled = useRef(false);
  const pointed = useRef(false);
  const tell = useCallback(() => onReading(scrolled.current || pointed.current), [onReading]);
  const virtual = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 12,
    getItemKey: (index) => events[index]?.id ?? index,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (rows.hasMore && !rows.loading && last >= events.length - nearEnd) onMore();
  }, [last, events.length, rows.hasMore, rows.loading, onMore]);

  const choose = useLatest((event: QueryEvent, index: number) => {
    setCurrent(index);
    onOpen(opened === `${event.id}` ? null : event);
  });
  const filter = useLatest(onFilter);

  function goTo(index: number): void {
    const wanted = Math.max(0, Math.min(events.length - 1, index));
    setCurrent(wanted);
    virtual.scrollToIndex(wanted);
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    const page = Math.max(1, shown.length - 2);
    const steps: Record<string, number> = {
      j: 1,
      ArrowDown: 1,
      k: -1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -events.length,
      End: events.length,
    };
    const step = steps[event.key];
    if (step !== undefined) goTo(current + step);
    else if (event.key === 'Enter') onOpen(events[current] ?? null);
    else if (event.key === 'Escape') onOpen(null);
    else return;
    event.preventDefault();
  }

  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a table cannot leave out the rows that are not in sight */}
      <div
        ref={scroller}
        id={listId}
        className={styles.scroller}
        role="grid"
        tabIndex={0}
        aria-label={text.queryLog.list}
        aria-rowcount={rows.total === null ? -1 : rows.total.rows + 1}
        aria-activedescendant={
          events[current] === undefined ? undefined : `row-${events[current].id}`
        }
        onKeyDown={onKeyDown}
        onScroll={(event) => {
          scrolled.current = event.currentTarget.scrollTop > 4;
          tell();
        }}
        onPointerEnter={() => {
          pointed.current = true;
          tell();
        }}
        onPointerLeave={() => {
          pointed.current = false;
          tell();
        }}
      >
        <Heads />
        <div className={styles.all} style={{ height: virtual.getTotalSize() }} role="presentation">
          {shown.map(({ index, start }) => {
            const event = events[index];
            return event === undefined ? null : (
              <Row
                // the key is the place, not the query: while queries come, texts change and no row is made anew
                key={index}
                event={event}
                index={index}
                start={start}
                isCurrent={index === current}
                isOpen={opened === `${event.id}`}
                onChoose={choose}
                onFilter={filter}
              />
            );
          })}
        </div>
      </div>
    </>
  );
}

const kinds = ['time', 'program', 'name', 'type', 'answer', 'latency'] as const;
type Kind = (typeof kinds)[number];

function Heads() {
  const { text } = useWords();
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the list
    <div role="row" tabIndex={-1} aria-rowindex={1} className={styles.heads}>
      {kinds.map((kind) => (
        // biome-ignore lint/a11y/useSemanticElements: see the list
        <span key={kind} role="columnheader" tabIndex={-1} className={styles.cell} data-kind={kind}>
          {text.queryLog.columns[kind]}
        </span>
      ))}
    </div>
  );
}

interface RowProps {
  event: QueryEvent;
  index: number;
  start: number;
  isCurrent: boolean;
  isOpen: boolean;
  onChoose(event: QueryEvent, index: number): void;
  onFilter(term: string): void;
}

/** A known row never changes; only its place does. */
const Row = memo(DrawnRow);

function DrawnRow({ event, index, start, isCurrent, isOpen, onChoose, onFilter }: RowProps) {
  const { text, formats } = useWords();
  const attention = attentionOf(event);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys belong to the list
    // biome-ignore lint/a11y/useSemanticElements: see the list
    <div
      id={`row-${event.id}`}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      className={styles.row}
      data-current={isCurrent || undefined}
      data-attention={attention ?? undefined}
      style={{ transform: `translateY(${start}px)` }}
      onClick={() => onChoose(event, index)}
    >
      <Cell kind="time" onPoint={() => formats.ago(Date.now() - event.at)}>
        {formats.clock(event.at, Date.now())}
      </Cell>
      <Cell kind="program" term={termOfProgram(event)} onFilter={onFilter}>
        {safe(askerName(event.asker) || event.asker.user)}
      </Cell>
      <Cell kind="name" title={safe(event.name)}>
        <bdi>{safe(event.name) || text.queryLog.nameNotKept}</bdi>
      </Cell>
      <Cell kind="type" term={termOfType(event)} onFilter={onFilter}>
        {safe(event.type)}
      </Cell>
      <Cell
        kind="answer"
        title={text.queryLog.outcomesLong[event.outcome]}
        term={termOfAnswer(event)}
        onFilter={onFilter}
        before={<OutcomeGlyph event={event} />}
      >
        {answeredBy(event, text.queryLog)}
      </Cell>
      <Cell kind="latency" title={attention === null ? '' : text.queryLog.attention[attention]}>
        {formats.latency(event.ms)}
        {attention === null ? null : (
          <span className="spoken">{text.queryLog.attention[attention]}</span>
        )}
      </Cell>
    </div>
  );
}

interface CellProps {
  kind: Kind;
  title?: string;
  /** a title that is true only at the moment when somebody points */
  onPoint?(): string;
  /** a click shows only rows that fit it; null or absent: the row is opened */
  term?: string | null;
  onFilter?(term: string): void;
  before?: ReactNode;
  children: ReactNode;
}

function Cell({ kind, title, onPoint, term = null, onFilter, before, children }: CellProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the list
    <span
      role="gridcell"
      tabIndex={-1}
      className={styles.cell}
      data-kind={kind}
      title={title}
      onPointerEnter={
        onPoint === undefined
          ? undefined
          : (event) => {
              event.currentTarget.title = onPoint();
            }
      }
    >
      {before}
      {term === null ? (
        children
      ) : (
        <button
          type="button"
          tabIndex={-1}
          className={styles.only}
          onClick={(event) => {
            event.stopPropagation();
            onFilter?.(term);
          }}
        >
          {children}
        </button>
      )}
    </span>
  );
}

/** The rows, of which only the visible ones are drawn. J and K move through them, Enter opens one. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { askerName } from '../../../app/contract/query-log/asker-name.ts';
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { useLatest } from '../../state/use-latest.ts';
import { useWords } from '../../text/use-text.ts';
import { attentionOf } from './attention.ts';
import type { Rows } from './query-log-store.ts';
import styles from './row-list.module.css';

interface RowListProps {
  rows: Rows;
  /** id of the row whose detail is shown; empty: none */
  opened: string;
  onOpen(event: QueryEvent | null): void;
  /** the list is not at its top, or the pointer is in it */
  onReading(reading: boolean): void;
  onMore(): void;
  onShowWaiting(): void;
}

const rowHeight = 28;
const nearEnd = 40;

export function RowList({ rows, opened, onOpen, onReading, onMore, onShowWaiting }: RowListProps) {
  const { text, formats } = useWords();
  const { events, waiting, leftOut } = rows;
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
    <div className={styles.around}>
      <output className={styles.waiting}>
        {waiting.length + leftOut === 0 || rows.live ? null : (
          <Button onClick={onShowWaiting}>
            {text.queryLog.waiting(formats.count(waiting.length + leftOut))}
          </Button>
        )}
      </output>
      {/* biome-ignore lint/a11y/useSemanticElements: a table cannot leave out the rows that are not in sight */}
      <div
        ref={scroller}
        className={styles.scroller}
        role="grid"
        tabIndex={0}
        aria-label={text.queryLog.list}
        aria-rowcount={rows.total?.rows ?? -1}
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
              />
            );
          })}
        </div>
      </div>
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
}

/** A known row never changes; only its place does. */
const Row = memo(DrawnRow);

function DrawnRow({ event, index, start, isCurrent, isOpen, onChoose }: RowProps) {
  const { text, formats } = useWords();
  const attention = attentionOf(event);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys belong to the list
    // biome-ignore lint/a11y/useSemanticElements: see the list
    <div
      id={`row-${event.id}`}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 1}
      aria-selected={isOpen}
      className={styles.row}
      data-current={isCurrent || undefined}
      data-attention={attention ?? undefined}
      style={{ transform: `translateY(${start}px)` }}
      onClick={() => onChoose(event, index)}
    >
      <Cell kind="time">{formats.exactTime(event.at)}</Cell>
      <Cell kind="type">{safe(event.type)}</Cell>
      <Cell kind="name" title={safe(event.name)}>
        <bdi>{safe(event.name) || text.queryLog.nameNotKept}</bdi>
      </Cell>
      <Cell kind="program">{safe(askerName(event.asker))}</Cell>
      <Cell kind="outcome">{text.queryLog.outcomes[event.outcome]}</Cell>
      <Cell kind="upstream">{safe(event.upstream)}</Cell>
      <Cell kind="cost">{event.cost === 'none' ? '' : text.queryLog.costs[event.cost]}</Cell>
      <Cell kind="latency">{formats.latency(event.ms)}</Cell>
      <Cell kind="attention">{attention === null ? '' : text.queryLog.attention[attention]}</Cell>
    </div>
  );
}

function Cell({ kind, title, children }: { kind: string; title?: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: see the list
    <span role="gridcell" tabIndex={-1} className={styles.cell} data-kind={kind} title={title}>
      {children}
    </span>
  );
}

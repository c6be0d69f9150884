/** The last thirty days as a strip: how long queries could leave unencrypted on each. The pointer or the arrow keys tell of a day, Enter opens it. */
import { useState } from 'react';
import { Section } from '../../components/page-body.tsx';
import { useNow } from '../../state/now.ts';
import { goTo, linkTo } from '../../state/route.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './days-strip.module.css';
import { type Day, lastDays } from './thirty-days.ts';

const minute = 60_000;

export function DaysStrip() {
  const { text, formats } = useWords();
  const known = useStore(useService().ledger)?.value ?? null;
  const now = useNow(minute);
  const [picked, pick] = useState<number | null>(null);
  const words = text.exceptions.days;
  if (known === null) return null;
  const days = lastDays(known.entries, known.completeSince, now);
  const last = days.length - 1;
  const at = picked ?? last;

  function onKeyDown(event: React.KeyboardEvent): void {
    if (event.key === 'Enter') open(days[at]);
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    pick(Math.min(last, Math.max(0, to)));
  }

  function placeOf({ currentTarget, clientX }: React.MouseEvent): number {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * days.length)));
  }

  return (
    <Section title={words.title}>
      <div
        className={styles.strip}
        role="slider"
        tabIndex={0}
        aria-label={words.title}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={at}
        aria-valuetext={describe(days[at])}
        onKeyDown={onKeyDown}
        onBlur={() => pick(null)}
        onPointerMove={(event) => pick(placeOf(event))}
        onPointerLeave={() => pick(null)}
        onClick={(event) => open(days[placeOf(event)])}
      >
        {days.map((day, place) => (
          <div
            key={day.from}
            className={styles.day}
            data-is={stateOf(day)}
            data-picked={place === picked}
          >
            <i style={{ height: `${heightOf(day)}%` }} />
          </div>
        ))}
      </div>
      <p className={styles.told}>{picked === null ? summary() : describe(days[picked])}</p>
      <p>
        <a href={linkTo('ledger')}>{words.past}</a>
      </p>
    </Section>
  );

  function describe(day: Day | undefined): string {
    if (day === undefined) return '';
    const date = formats.day(day.from);
    if (day.isUnknown) return words.unknown(date);
    if (day.permissions === 0) return words.none(date);
    return words.some(date, formats.duration(day.openMs), formats.count(day.permissions));
  }

  function summary(): string {
    const some = days.filter(({ permissions }) => permissions > 0).length;
    const unknown = days.filter(({ isUnknown }) => isUnknown).length;
    const told = some === 0 ? words.noDay : words.onDays(formats.count(some), some === 1);
    return unknown === 0 ? told : `${told} ${words.began(formats.day(known?.completeSince ?? 0))}`;
  }
}

function open(day: Day | undefined): void {
  if (day !== undefined && day.permissions > 0) goTo('ledger', { day: isoDay(day.from) });
}

/** Of the calendar of this computer. */
function isoDay(at: number): string {
  const date = new Date(at);
  const two = (number: number) => `${number}`.padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function stateOf({ isUnknown, permissions }: Day): 'unknown' | 'some' | 'none' {
  if (isUnknown) return 'unknown';
  return permissions === 0 ? 'none' : 'some';
}

/** A minute can be seen, and a whole day fills the column. */
function heightOf({ openMs, from, to, permissions }: Day): number {
  return permissions === 0 ? 0 : Math.max(12, (100 * openMs) / (to - from));
}

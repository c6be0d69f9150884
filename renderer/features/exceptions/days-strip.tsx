/** The last 30 days, a column each: how long queries of any name could leave unencrypted. A day leads to its entries. */
import { type KeyboardEvent, useRef, useState } from 'react';
import { Section } from '../../components/page-body.tsx';
import { useNow } from '../../state/now.ts';
import { linkTo } from '../../state/route.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords, type Words } from '../../text/use-text.ts';
import styles from './days-strip.module.css';
import { midnightsUntil, nameOfDay, type PastDay, pastDays } from './past-days.ts';

const shown = 30;
const minute = 60_000;
const hour = 60 * minute;

export function DaysStrip() {
  const { text } = useWords();
  const known = useStore(useService().ledger)?.value ?? null;
  const now = useNow(minute);
  const words = text.exceptions.days;
  return (
    <Section title={words.title}>
      {known === null ? (
        <p>{text.frame.loading}</p>
      ) : (
        <Strip
          days={pastDays(known, midnightsUntil(now, shown), now)}
          completeSince={known.completeSince}
        />
      )}
      <p>
        <a href={linkTo('ledger')}>{words.all}</a>
      </p>
    </Section>
  );
}

function Strip({ days, completeSince }: { days: readonly PastDay[]; completeSince: number }) {
  const spoken = useWords();
  const { text, formats } = spoken;
  const words = text.exceptions.days;
  const [picked, pick] = useState<number | null>(null);
  const [entry, setEntry] = useState(days.length - 1);
  const list = useRef<HTMLOListElement>(null);
  const longest = Math.max(hour, ...days.map(({ duration }) => duration));
  const isPartly = completeSince > (days[0]?.from ?? 0);

  function onKeyDown(event: KeyboardEvent): void {
    const to = placeAfter(event.key, entry, days.length);
    if (to === null) return;
    event.preventDefault();
    setEntry(to);
    list.current?.querySelectorAll('a')[to]?.focus();
  }

  return (
    <>
      <p>
        {sumOf(days, spoken)}
        {isPartly ? ` ${words.since(formats.moment(completeSince, Date.now()))}` : null}
      </p>
      <figure className={styles.figure}>
        <ol
          ref={list}
          className={styles.days}
          aria-label={words.title}
          onPointerLeave={() => pick(null)}
        >
          {days.map((day, place) => (
            <li key={day.from}>
              <a
                href={linkTo('ledger', { day: nameOfDay(day.from) })}
                className={styles.day}
                data-known={day.known}
                aria-label={describe(day, spoken)}
                tabIndex={place === entry ? 0 : -1}
                onKeyDown={onKeyDown}
                onFocus={() => {
                  setEntry(place);
                  pick(place);
                }}
                onBlur={() => pick(null)}
                onPointerEnter={() => pick(place)}
              >
                <Column day={day} longest={longest} />
              </a>
            </li>
          ))}
        </ol>
        <p className={styles.ends} aria-hidden="true">
          <span>{formats.date(nameOfDay(days[0]?.from ?? 0))}</span>
          <span>{words.today}</span>
        </p>
        <Tip day={picked === null ? null : (days[picked] ?? null)} />
        <Legend days={days} />
      </figure>
    </>
  );
}

function Column({ day, longest }: { day: PastDay; longest: number }) {
  return (
    <>
      {day.times === 0 ? null : (
        <i className={styles.minutes} style={{ height: `${(day.duration / longest) * 100}%` }} />
      )}
      {day.named === 0 ? null : <i className={styles.named} />}
    </>
  );
}

/** What the pointer or the focus is at; the place stays where nothing is. */
function Tip({ day }: { day: PastDay | null }) {
  const spoken = useWords();
  return (
    <p className={styles.tip} aria-hidden="true">
      {day === null ? null : describe(day, spoken)}
    </p>
  );
}

function Legend({ days }: { days: readonly PastDay[] }) {
  const words = useWords().text.exceptions.days.legend;
  const isIn = {
    minutes: days.some(({ times }) => times > 0),
    names: days.some(({ named }) => named > 0),
    unknown: days.some(({ known }) => known === 'nothing'),
  };
  const kinds = (['minutes', 'names', 'unknown'] as const).filter((kind) => isIn[kind]);
  return (
    <figcaption className={styles.legend}>
      {kinds.map((kind) => (
        <span key={kind}>
          <i data-kind={kind} />
          {words[kind]}
        </span>
      ))}
    </figcaption>
  );
}

function describe(day: PastDay, { text, formats }: Words): string {
  const words = text.exceptions.days;
  const date = formats.date(nameOfDay(day.from));
  if (day.known === 'nothing') return `${date}: ${words.unknown}`;
  const told = [
    ...(day.times === 0 ? [] : [words.lasted(formats.duration(day.duration), day.times)]),
    ...(day.named === 0 ? [] : [words.names(day.named)]),
  ];
  const isPart = day.known === 'part' ? ` (${words.inPart})` : '';
  return `${date}: ${told.length === 0 ? words.nothing : told.join('; ')}${isPart}`;
}

function sumOf(days: readonly PastDay[], { text, formats }: Words): string {
  const words = text.exceptions.days;
  const wide = days.filter(({ times }) => times > 0);
  if (wide.length === 0) return words.calm;
  const all = wide.reduce((sum, { duration }) => sum + duration, 0);
  return words.sum(wide.length, formats.duration(all));
}

function placeAfter(key: string, place: number, days: number): number | null {
  const to = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: days - 1 }[key];
  return to === undefined ? null : Math.min(days - 1, Math.max(0, to));
}

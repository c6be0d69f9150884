/** Four short lists: who answers, what is asked most, who asks most, and what goes around Sotto. */
import type { ReactNode } from 'react';
import { filterOfValue } from '../../../app/contract/query-log/filter-of-value.ts';
import type { LogResult, TopKind } from '../../../app/contract/query-log/log-api.ts';
import type { ServiceStatus, UpstreamStatus } from '../../../app/contract/status/service-status.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { useAsked } from '../../state/asked.ts';
import { useNow } from '../../state/now.ts';
import { linkTo } from '../../state/route.ts';
import { useWords } from '../../text/use-text.ts';
import { DaySparkline } from '../upstreams/day-sparkline.tsx';
import { dayOf } from '../upstreams/provider-day.ts';
import { type KnownDay, useDay } from '../upstreams/use-day.ts';
import styles from './columns.module.css';
import { GoesAround } from './goes-around.tsx';
import { standing } from './upstream-lines.tsx';

const most = 5;
const minute = 60_000;
const lastDay = 'since:1d';

export function Columns({ status }: { status: ServiceStatus }) {
  const { text } = useWords();
  const round = `${Math.floor(useNow(minute) / minute)}`;
  const names = useAsked('log.top', { by: 'domain', filter: lastDay, limit: most }, round);
  const programs = useAsked('log.top', { by: 'program', filter: lastDay, limit: most }, round);
  const providerDay = useDay();
  const words = text.home.columns;
  const why =
    names.failure?.code === 'forbidden'
      ? words.forbidden
      : status.log.state === 'off'
        ? words.off
        : words.none;
  return (
    <div className={styles.columns}>
      <Column title={words.providers}>
        {status.upstreams.length === 0 ? (
          <p className={styles.quiet}>{text.home.upstreams.none}</p>
        ) : null}
        <ul aria-label={words.providers}>
          {status.upstreams.map((upstream) => (
            <Provider key={upstream.id} upstream={upstream} day={providerDay} />
          ))}
        </ul>
      </Column>
      <Column title={words.names} about={words.within}>
        <Ranking by="domain" of={names.value?.rows ?? []} why={why} />
      </Column>
      <Column title={words.programs} about={words.within}>
        <Ranking by="program" of={programs.value?.rows ?? []} why={why} />
      </Column>
      <GoesAround />
    </div>
  );
}

interface ColumnProps {
  title: string;
  about?: string;
  children: ReactNode;
}

function Column({ title, about = '', children }: ColumnProps) {
  return (
    <section className={styles.column}>
      <h2>
        {title} {about === '' ? null : <small>{about}</small>}
      </h2>
      {children}
    </section>
  );
}

interface ProviderProps {
  upstream: UpstreamStatus;
  day: KnownDay;
}

function Provider({ upstream, day: { series, top } }: ProviderProps) {
  const { text, formats } = useWords();
  const { id, label, state, rttMs } = upstream;
  const name = safe(label);
  const day = series === null ? null : dayOf(series, id);
  return (
    <li className={styles.provider} data-state={state}>
      <a href={linkTo('providers')}>{name}</a>
      <span className={styles.quiet}>{standing(upstream, text, formats)}</span>
      <span className={styles.trail}>
        {day === null ? null : <DaySparkline name={name} day={day} top={top} />}
      </span>
      <strong>{rttMs === null ? text.upstreams.unknown : formats.latency(rttMs)}</strong>
    </li>
  );
}

interface RankingProps {
  by: TopKind;
  /** the most frequent first */
  of: LogResult<'top'>['rows'];
  /** said where there is none */
  why: string;
}

function Ranking({ by, of, why }: RankingProps) {
  const { formats } = useWords();
  const highest = of[0]?.count ?? 1;
  if (of.length === 0) return <p className={styles.quiet}>{why}</p>;
  return (
    <ol>
      {of.map(({ value, count }) => {
        const found = filterOfValue(by, value);
        return (
          <li key={value} className={styles.ranked}>
            <i style={{ width: `${(count / highest) * 100}%` }} />
            {found === null ? (
              <span className={styles.value}>{safe(value)}</span>
            ) : (
              <a
                className={styles.value}
                href={linkTo('queries', { filter: `${found} ${lastDay}` })}
              >
                {safe(value)}
              </a>
            )}
            <span className={styles.quiet}>{formats.count(count)}</span>
          </li>
        );
      })}
    </ol>
  );
}

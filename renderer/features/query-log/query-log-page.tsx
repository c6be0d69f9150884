/** The page Queries: this machine's queries, live and as far back as they are kept. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FailureWords } from '../../components/failure-words.tsx';
import { type Action, useActions } from '../../state/actions.ts';
import { goTo, type Route, routeNow, showInstead, useRoute } from '../../state/route.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { AskToTeach } from './ask-to-teach.tsx';
import { FilterBar } from './filter-bar.tsx';
import { readFilter, withTerm } from './filter-state.ts';
import { Histogram } from './histogram.tsx';
import styles from './query-log-page.module.css';
import { followQueryLog } from './query-log-store.ts';
import { QueryLogTools } from './query-log-tools.tsx';
import { RowDetail } from './row-detail.tsx';
import { RowList } from './row-list.tsx';

const address = (filter: string) => (filter === '' ? {} : { filter });

/** The row that is open stays open. */
const setFilter = (wanted: string) => showInstead('queries', address(wanted), routeNow().item);

/** The filter stays. */
const open = (event: QueryEvent | null) =>
  showInstead('queries', address(filterOf(routeNow())), `${event?.id ?? ''}`);

const filterOf = ({ query }: Route): string => query.get('filter') ?? '';

export function QueryLogPage() {
  const { text } = useWords();
  const { session, status } = useService();
  const route = useRoute();
  const { item } = route;
  const typed = filterOf(route);
  const filter = useMemo(() => readFilter(typed), [typed]);
  const queryLog = useMemo(() => followQueryLog(session), [session]);
  const rows = useStore(queryLog.rows);
  const [live, setLive] = useState(true);
  const [reading, setReading] = useState(false);

  useEffect(() => () => queryLog.close(), [queryLog]);
  const search = useCallback(
    () => (filter.problem === null ? queryLog.search(filter.text) : queryLog.rest()),
    [queryLog, filter],
  );
  useEffect(search, [search]);
  const kept = useStore(status)?.value.log.rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another number of rows is the reason to count
  useEffect(() => queryLog.recount(), [queryLog, kept]);
  // a person who reads, or has a row open, keeps their place
  useEffect(
    () => queryLog.setLive(live && !reading && item === ''),
    [queryLog, live, reading, item],
  );

  const toggle = useCallback(() => setLive((before) => !before), []);
  useActions(useQueryLogActions(toggle));

  const opened = rows.events.find(({ id }) => `${id}` === item) ?? null;
  const isRead = filter.problem === null && rows.failure === null;
  const isEmpty = rows.events.length === 0 && !rows.loading;
  return (
    <div className={styles.page}>
      <h1 className="spoken">{text.frame.pages.queries}</h1>
      <div className={styles.head}>
        <FilterBar filter={filter} onChange={setFilter} />
        <QueryLogTools
          filter={filter.text}
          rows={rows}
          live={live}
          onToggle={toggle}
          onCleared={search}
        />
      </div>
      {isRead ? (
        <Histogram
          filter={filter}
          rows={rows}
          onBrush={(term) => setFilter(withTerm(filter, term))}
        />
      ) : null}
      {rows.failure === null ? null : (
        <p className={styles.failure} role="alert">
          <FailureWords failure={rows.failure} />
        </p>
      )}
      {!isRead ? null : isEmpty ? (
        <NoRows filtered={typed !== ''} />
      ) : (
        <RowList
          rows={rows}
          opened={item}
          onOpen={open}
          onReading={setReading}
          onMore={queryLog.more}
          onShowWaiting={() => {
            goTo('queries', address(typed));
            setReading(false);
            setLive(true);
          }}
        />
      )}
      {item === '' ? null : (
        <RowDetail
          key={item}
          id={Number(item)}
          known={opened}
          onFilter={(term) => setFilter(withTerm(filter, term))}
          onClose={() => open(null)}
        />
      )}
    </div>
  );
}

function NoRows({ filtered }: { filtered: boolean }) {
  const { text } = useWords();
  return filtered ? <EmptyState title={text.queryLog.nothingFits} /> : <AskToTeach />;
}

function useQueryLogActions(toggle: () => void): readonly Action[] {
  const { text } = useWords();
  return useMemo(
    () => [
      {
        id: 'query-log-filter',
        label: text.queryLog.actions.filter,
        keys: '/',
        run: () => document.getElementById('query-log-filter')?.focus(),
      },
      { id: 'query-log-live', label: text.queryLog.actions.live, keys: 'p', run: toggle },
    ],
    [text, toggle],
  );
}

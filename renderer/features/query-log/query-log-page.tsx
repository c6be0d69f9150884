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
import { Choices } from './choices.tsx';
import { FilterBar } from './filter-bar.tsx';
import { type FilterState, readFilter, withTerm } from './filter-state.ts';
import styles from './query-log-page.module.css';
import { followQueryLog, type Rows } from './query-log-store.ts';
import { QueryLogTools } from './query-log-tools.tsx';
import { Rankings } from './rankings.tsx';
import { RowDetail } from './row-detail.tsx';
import { listId, RowList } from './row-list.tsx';
import { Times } from './times.tsx';
import { type View, viewOf } from './view.ts';

const address = (filter: string, view: View = 'list') => ({
  ...(filter === '' ? {} : { filter }),
  ...(view === 'list' ? {} : { view }),
});

/** The row that is open stays open, and the view stays. */
const setFilter = (wanted: string) =>
  showInstead('queries', address(wanted, viewOf(routeNow())), routeNow().item);

/** The filter stays. */
const open = (event: QueryEvent | null) =>
  showInstead('queries', address(filterOf(routeNow())), `${event?.id ?? ''}`);

const setView = (view: View) => goTo('queries', address(filterOf(routeNow()), view));

const filterOf = ({ query }: Route): string => query.get('filter') ?? '';

export function QueryLogPage() {
  const { text } = useWords();
  const { session, status } = useService();
  const route = useRoute();
  const { item } = route;
  const view = viewOf(route);
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

  const hold = useCallback(() => setLive(false), []);
  // whoever follows sees the newest row, so nothing else is open
  const follow = useCallback(() => {
    goTo('queries', address(filterOf(routeNow())));
    document.getElementById(listId)?.scrollTo({ top: 0 });
    setReading(false);
    setLive(true);
  }, []);
  const switchLive = rows.live ? hold : follow;
  useActions(useQueryLogActions(switchLive));

  const addTerm = (term: string) => setFilter(withTerm(filter, term));
  // "back" leads to the ranking
  const list = (term: string) => goTo('queries', address(withTerm(filter, term)));
  const isRead = filter.problem === null && rows.failure === null;
  return (
    <div className={styles.page}>
      <h1 className="spoken">{text.frame.pages.queries}</h1>
      <div className={styles.head}>
        <FilterBar filter={filter} onChange={setFilter} />
        <QueryLogTools
          filter={filter.text}
          rows={rows}
          live={view === 'list' ? rows.live : null}
          onToggle={switchLive}
          onCleared={search}
        />
      </div>
      <Choices filter={filter} rows={rows} view={view} onFilter={setFilter} onView={setView} />
      {isRead ? <Times filter={filter} rows={rows} onChoose={addTerm} /> : null}
      {rows.failure === null ? null : (
        <p className={styles.failure} role="alert">
          <FailureWords failure={rows.failure} />
        </p>
      )}
      {isRead && view !== 'list' ? (
        <Rankings key={view} by={view} filter={filter.text} rows={rows} onChoose={list} />
      ) : null}
      {isRead && view === 'list' ? (
        <Found
          rows={rows}
          filter={filter}
          item={item}
          onMore={queryLog.more}
          onReading={setReading}
          onFilter={addTerm}
        />
      ) : null}
    </div>
  );
}

interface FoundProps {
  rows: Rows;
  filter: FilterState;
  /** id of the row whose detail is shown; empty: none */
  item: string;
  onMore(): void;
  onReading(reading: boolean): void;
  onFilter(term: string): void;
}

/** The rows, and beside them one of them in full. */
function Found({ rows, filter, item, onMore, onReading, onFilter }: FoundProps) {
  if (rows.events.length === 0 && !rows.loading) return <NoRows filtered={filter.text !== ''} />;
  return (
    <div className={styles.body}>
      <RowList
        rows={rows}
        opened={item}
        onOpen={open}
        onReading={onReading}
        onMore={onMore}
        onFilter={onFilter}
      />
      {item === '' ? null : (
        <RowDetail
          key={item}
          id={Number(item)}
          known={rows.events.find(({ id }) => `${id}` === item) ?? null}
          onFilter={onFilter}
          onClose={() => {
            open(null);
            document.getElementById(listId)?.focus();
          }}
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

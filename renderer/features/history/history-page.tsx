/** The History page: this machine's queries, live and as far back as they are kept. */
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
import styles from './history-page.module.css';
import { followHistory } from './history-store.ts';
import { HistoryTools } from './history-tools.tsx';
import { RowDetail } from './row-detail.tsx';
import { RowList } from './row-list.tsx';

const address = (filter: string) => (filter === '' ? {} : { filter });

/** The row that is open stays open. */
const setFilter = (wanted: string) => showInstead('history', address(wanted), routeNow().item);

/** The filter stays. */
const open = (event: QueryEvent | null) =>
  showInstead('history', address(filterOf(routeNow())), `${event?.id ?? ''}`);

const filterOf = ({ query }: Route): string => query.get('filter') ?? '';

export function HistoryPage() {
  const { text } = useWords();
  const { session, status } = useService();
  const route = useRoute();
  const { item } = route;
  const typed = filterOf(route);
  const filter = useMemo(() => readFilter(typed), [typed]);
  const history = useMemo(() => followHistory(session), [session]);
  const rows = useStore(history.rows);
  const [live, setLive] = useState(true);
  const [reading, setReading] = useState(false);

  useEffect(() => () => history.close(), [history]);
  const search = useCallback(
    () => (filter.problem === null ? history.search(filter.text) : history.rest()),
    [history, filter],
  );
  useEffect(search, [search]);
  const kept = useStore(status)?.value.log.rows;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another number of rows is the reason to count
  useEffect(() => history.recount(), [history, kept]);
  // a person who reads, or has a row open, keeps their place
  useEffect(() => history.setLive(live && !reading && item === ''), [history, live, reading, item]);

  const toggle = useCallback(() => setLive((before) => !before), []);
  useActions(useHistoryActions(toggle));

  const opened = rows.events.find(({ id }) => `${id}` === item) ?? null;
  const isRead = filter.problem === null && rows.failure === null;
  const isEmpty = rows.events.length === 0 && !rows.loading;
  return (
    <div className={styles.page}>
      <h1 className="spoken">{text.frame.pages.history}</h1>
      <div className={styles.head}>
        <FilterBar filter={filter} onChange={setFilter} />
        <HistoryTools
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
          onMore={history.more}
          onShowWaiting={() => {
            goTo('history', address(typed));
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
  return filtered ? <EmptyState title={text.history.nothingFits} /> : <AskToTeach />;
}

function useHistoryActions(toggle: () => void): readonly Action[] {
  const { text } = useWords();
  return useMemo(
    () => [
      {
        id: 'history-filter',
        label: text.history.actions.filter,
        keys: '/',
        run: () => document.getElementById('history-filter')?.focus(),
      },
      { id: 'history-live', label: text.history.actions.live, keys: 'p', run: toggle },
    ],
    [text, toggle],
  );
}

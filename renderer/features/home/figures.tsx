/** The cost of recent queries. A figure links to the rows behind it, once a page shows them. */
import type { ReactNode } from 'react';
import {
  costShares,
  queriesOf,
  shareFromCache,
} from '../../../app/contract/query-log/query-shares.ts';
import { percentile } from '../../../app/contract/status/latency-histogram.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import { Sparkline } from '../../components/sparkline.tsx';
import { linkTo } from '../../state/route.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import type { PageName } from '../../text/catalogue.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './figures.module.css';

export function Figures({ status }: { status: ServiceStatus }) {
  const { text, formats } = useWords();
  const service = useService();
  const stats = useStore(service.stats)?.value ?? null;
  const trail = useStore(service.trail);
  const words = text.home.figures;
  if (stats === null) return null;
  const { tally, outcomes, startedAt } = stats;
  const median = tally === null ? null : percentile(tally.forwarded, 0.5);
  const reused = tally === null ? null : (costShares(tally.costs)?.reused ?? null);
  const cached = shareFromCache(outcomes);
  // The figures do not include earlier runs of the service, which the query log may keep.
  const since = `since:${new Date(startedAt).toISOString()}`;
  const clear = status.clear.reduce((sum, { count }) => sum + (count ?? 0), 0);
  return (
    <dl className={styles.figures} aria-label={words.title}>
      {median === null ? null : (
        <Figure label={words.median}>
          {formats.latency(median)} <Sparkline values={trail.median} label={words.medianTrail} />
        </Figure>
      )}
      {reused === null ? null : (
        <Figure
          label={words.reused}
          page="queries"
          filter={`outcome:forwarded cost:reused ${since}`}
        >
          {formats.share(reused)}
        </Figure>
      )}
      {cached === null ? null : (
        <Figure label={words.cached} page="queries" filter={`outcome:cached,stale ${since}`}>
          {formats.share(cached)}
        </Figure>
      )}
      <Figure label={words.queries} page="queries" filter={since}>
        {formats.count(queriesOf(outcomes))}
      </Figure>
      {status.clear.length === 0 ? null : (
        <Figure label={words.clear} page="ledger">
          {formats.count(clear)}
        </Figure>
      )}
    </dl>
  );
}

interface FigureProps {
  label: string;
  page?: PageName;
  filter?: string;
  children: ReactNode;
}

function Figure({ label, page, filter, children }: FigureProps) {
  return (
    <div className={styles.figure}>
      <dt>{label}</dt>
      <dd>
        {page === undefined ? (
          children
        ) : (
          <a href={linkTo(page, filter ? { filter } : {})}>{children}</a>
        )}
      </dd>
    </div>
  );
}

/** What the last questions cost. A figure is a link to the rows behind it, once there is a page that shows them. */
import type { ReactNode } from 'react';
import { percentile } from '../../../app/contract/latency-histogram.ts';
import type { ServiceStats } from '../../../app/contract/service-stats.ts';
import type { ServiceStatus } from '../../../app/contract/service-status.ts';
import { Sparkline } from '../../components/sparkline.tsx';
import { linkTo } from '../../state/route.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { useWords } from '../../text/use-text.ts';
import { hasPage, type PageName } from '../pages.ts';
import styles from './figures.module.css';

export function Figures({ status }: { status: ServiceStatus }) {
  const { text, formats } = useWords();
  const service = useService();
  const stats = useStore(service.stats)?.value ?? null;
  const trail = useStore(service.trail);
  const words = text.status.figures;
  if (stats === null) return null;
  const { median, reused, cached, questions } = shares(stats);
  const clear = status.clear.reduce((sum, { count }) => sum + (count ?? 0), 0);
  return (
    <dl className={styles.figures} aria-label={words.title}>
      {median === null ? null : (
        <Figure label={words.median}>
          {formats.latency(median)} <Sparkline values={trail.median} label={words.medianTrail} />
        </Figure>
      )}
      {reused === null ? null : (
        <Figure label={words.reused} page="history" filter="cost:reused">
          {formats.share(reused)}
        </Figure>
      )}
      {cached === null ? null : (
        <Figure label={words.cached} page="history" filter="outcome:cached,stale">
          {formats.share(cached)}
        </Figure>
      )}
      <Figure label={words.questions} page="history">
        {formats.count(questions)}
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
  const leads = page !== undefined && hasPage(page);
  return (
    <div className={styles.figure}>
      <dt>{label}</dt>
      <dd>{leads ? <a href={linkTo(page, filter ? { filter } : {})}>{children}</a> : children}</dd>
    </div>
  );
}

export function shares({ tally, outcomes }: ServiceStats) {
  const costs = tally?.costs;
  const forwarded = costs ? costs.reused + costs.resumed + costs.cold + costs.queued : 0;
  const questions = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
  const fromCache = (outcomes.cached ?? 0) + (outcomes.stale ?? 0);
  return {
    median: tally === null ? null : percentile(tally.forwarded, 0.5),
    reused: costs && forwarded > 0 ? costs.reused / forwarded : null,
    cached: questions > 0 ? fromCache / questions : null,
    questions,
  };
}

/** The page's one session, and its topics. */
import { createContext, use } from 'react';
import { mostEntries } from '../../app/contract/bounds.ts';
import type { LedgerEntry } from '../../app/contract/protection/ledger-entry.ts';
import type { ResultOf } from '../../app/contract/service-api.ts';
import type { ServiceStats } from '../../app/contract/status/service-stats.ts';
import type { ServiceStatus } from '../../app/contract/status/service-status.ts';
import type { Session } from './session.ts';
import { type Readable, useStore } from './store.ts';
import { createTopic, type Topic } from './topic.ts';
import { followTrail, type Trail } from './trail.ts';

export interface Service {
  session: Session;
  status: Topic<ServiceStatus>;
  stats: Topic<ServiceStats>;
  trail: Readable<Trail>;
  ledger: Topic<KnownEntries>;
}

/** Permissions to send in cleartext, newest first, the open ones included. */
export type KnownEntries = ResultOf<'ledger.follow'>;

export function followService(session: Session): Service {
  const stats = createTopic(session, {
    follow: 'stats.follow',
    params: {},
    changes: 'stats.changed',
    begin: (figures) => figures,
    change: (_before, figures) => figures,
  });
  return {
    session,
    stats,
    trail: followTrail(stats),
    status: createTopic(session, {
      follow: 'status.follow',
      params: {},
      changes: 'status.changed',
      begin: (status) => status,
      change: (_before, status) => status,
    }),
    ledger: createTopic(session, {
      follow: 'ledger.follow',
      params: { limit: mostEntries },
      changes: 'ledger.changed',
      begin: (known) => known,
      change: withEntry,
    }),
  };
}

/** Entries are few and come again whenever their count changes: each replaces its older version. */
function withEntry({ entries, completeSince }: KnownEntries, entry: LedgerEntry): KnownEntries {
  const others = entries.filter(({ id }) => id !== entry.id);
  const all = [...others, entry].sort((one, other) => other.id - one.id);
  const ends = all.slice(mostEntries).map(({ since, until }) => Math.max(since, until ?? 0));
  return {
    entries: all.slice(0, mostEntries),
    completeSince: Math.max(completeSince, ...ends),
  };
}

export const ServiceContext = createContext<Service | null>(null);

/** Whether the page shows the present state. */
export function useLive(): boolean {
  return useStore(useService().session.state).is === 'connected';
}

export function useService(): Service {
  const service = use(ServiceContext);
  if (service === null) throw new Error('nothing is drawn outside ServiceContext');
  return service;
}

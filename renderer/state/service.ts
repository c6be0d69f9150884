/** The page's one session, and its topics. */
import { createContext, use } from 'react';
import { type LedgerEntry, mostEntries } from '../../app/contract/protection/ledger-entry.ts';
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
  /** newest first, the open ones included */
  ledger: Topic<LedgerEntry[]>;
}

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
      begin: ({ entries }) => entries,
      change: withEntry,
    }),
  };
}

/** Entries are few and come again whenever their count changes: each replaces its older version. */
function withEntry(entries: LedgerEntry[], entry: LedgerEntry): LedgerEntry[] {
  const others = entries.filter(({ id }) => id !== entry.id);
  return [...others, entry].sort((one, other) => other.id - one.id).slice(0, mostEntries);
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

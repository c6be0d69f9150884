/** One snapshot from all parts. Pure. */

import type { ConsentRequest } from '../../contract/protection/consent-request.ts';
import type { LedgerEntry } from '../../contract/protection/ledger-entry.ts';
import { verdictInEnglish } from '../../contract/protection/verdict-words.ts';
import type { HealthIssue } from '../../contract/status/health-issue.ts';
import type {
  GroupStatus,
  LogStatus,
  Loosened,
  ServiceStatus,
  UpstreamStatus,
} from '../../contract/status/service-status.ts';
import type { PortalStatus } from '../../contract/system/portal.ts';
import type { SystemDnsStatus } from '../../contract/system/system-dns.ts';
import type { EngineStatus } from '../engine/boundary.ts';
import type { ProtectionView } from '../protection/protection.ts';
import { type CoverageSeen, judgeVerdict } from './verdict.ts';

export interface StatusParts {
  version: string;
  startedAt: number;
  guarded: boolean;
  view: ProtectionView;
  engine: EngineStatus;
  upstreams: readonly UpstreamStatus[];
  clear: LedgerEntry[];
  systemDns: SystemDnsStatus | null;
  coverage: CoverageSeen | null;
  consentRequests: ConsentRequest[];
  loosened: Loosened[];
  portal: PortalStatus | null;
  log: LogStatus;
  health: HealthIssue[];
}

export function composeStatus(parts: StatusParts): ServiceStatus {
  const { engine, view, version, startedAt, guarded, clear, log, health } = parts;
  const protection = view.state;
  const verdict = judgeVerdict({
    protection,
    systemDns: parts.systemDns,
    coverage: parts.coverage,
    exceptions: clear.filter(isException).length,
    reached: Object.values(engine.outcomes).some((count) => count > 0),
  });
  return {
    version,
    pid: process.pid,
    startedAt,
    guarded,
    protection,
    verdict,
    sentence: verdictInEnglish(verdict, writeTime),
    listening: engine.listening,
    upstreams: [...parts.upstreams],
    outcomes: engine.outcomes,
    clear: clear.map((entry) => ({
      ...entry,
      count: engine.clear.find((lease) => lease.entry === entry.id)?.count ?? entry.count,
    })),
    groups: groupsOf(view),
    consentRequests: parts.consentRequests.filter(({ state }) => state === 'open'),
    rungs: engine.rungs,
    loosened: parts.loosened,
    network: view.here,
    systemDns: parts.systemDns,
    portal: parts.portal,
    cache: engine.cache,
    events: engine.events,
    log,
    health,
  };
}

/** What the verdict itself reports is no exception to it. */
function isException({ class: kind }: LedgerEntry): boolean {
  return !['off', 'paused', 'policy', 'contested'].includes(kind);
}

export function groupsOf({ rules, groups }: ProtectionView): GroupStatus[] {
  return rules.flatMap(({ when: _whose, ...one }) => {
    const state = groups.find(({ id }) => id === one.id)?.state;
    return state === undefined ? [] : [{ ...one, state }];
  });
}

/** 2026-01-31 14:58 UTC: whoever reads it may be in another zone than the service. */
export function writeTime(unixMilliseconds: number): string {
  return `${new Date(unixMilliseconds).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

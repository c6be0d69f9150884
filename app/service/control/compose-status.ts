/** One snapshot from all parts. Pure. */

import type { HealthIssue } from '../../contract/health-issue.ts';
import { type ProtectionState, protectionSentence } from '../../contract/protection-state.ts';
import type {
  LedgerEntry,
  LogStatus,
  ServiceStatus,
  UpstreamStatus,
} from '../../contract/service-status.ts';
import type { UpstreamSetting } from '../../contract/upstream-settings.ts';
import type { EngineStatus } from '../engine/engine-status.ts';

export interface StatusParts {
  version: string;
  startedAt: number;
  protection: ProtectionState;
  engine: EngineStatus;
  upstreams: readonly UpstreamStatus[];
  clear: LedgerEntry[];
  log: LogStatus;
  health: HealthIssue[];
}

export function composeStatus(parts: StatusParts): ServiceStatus {
  const { engine, protection } = parts;
  const { version, startedAt, clear, log, health } = parts;
  return {
    version,
    pid: process.pid,
    startedAt,
    protection,
    sentence: protectionSentence(protection, writeTime),
    listening: engine.listening,
    upstreams: [...parts.upstreams],
    outcomes: engine.outcomes,
    clear: clear.map((entry) => ({
      ...entry,
      count: engine.clear.find((lease) => lease.entry === entry.id)?.count ?? entry.count,
    })),
    cache: engine.cache,
    events: engine.events,
    log,
    health,
  };
}

/** All upstreams of the settings, in their order: the engine is not given those it must not use. */
export function upstreamsOf(
  settings: readonly UpstreamSetting[],
  engine: Pick<EngineStatus, 'upstreams'>,
): UpstreamStatus[] {
  return settings.map(
    ({ id, transport }) =>
      engine.upstreams.find((upstream) => upstream.id === id) ?? {
        id,
        transport,
        state: 'idle',
        address: null,
        tls: null,
        lastError: {
          code: 'not-permitted',
          text: 'it has no TLS, so it is not used while "refuse" holds',
        },
        restingMs: 0,
        inFlight: 0,
        answered: 0,
        failed: 0,
        dials: 0,
        resumptions: 0,
        rttMs: null,
        handshakeMs: null,
      },
  );
}

function writeTime(unixMilliseconds: number): string {
  return new Date(unixMilliseconds).toLocaleTimeString('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
  });
}

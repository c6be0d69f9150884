/** The figures of one moment, from the status and further counts. Pure. */
import type { QueryTally, ServiceStats } from '../../contract/status/service-stats.ts';
import type { ServiceStatus } from '../../contract/status/service-status.ts';

interface StatsParts {
  /** unix milliseconds */
  now: number;
  /** octets */
  memory: number;
  tally: QueryTally | null;
  strays: number;
  ownProbes: ServiceStats['ownProbes'];
}

export function composeStats(status: ServiceStatus, parts: StatsParts): ServiceStats {
  const { startedAt, outcomes, cache, events } = status;
  return {
    at: parts.now,
    startedAt,
    outcomes,
    cache,
    events,
    upstreams: status.upstreams.map(({ id, answered, failed, dials, resumptions, rttMs }) => ({
      id,
      answered,
      failed,
      dials,
      resumptions,
      rttMs,
    })),
    strays: parts.strays,
    ownProbes: parts.ownProbes,
    memory: parts.memory,
    tally: parts.tally,
  };
}

/** The figures of this moment, however many ask for them at once: they are put together once in a second. */
import type { QueryTally } from '../../contract/status/service-stats.ts';
import type { ServiceStatus } from '../../contract/status/service-status.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { EngineDriver } from '../engine/engine-driver.ts';
import { describeEnrolled } from '../profiles/describe-enrolled.ts';
import type { EnrolmentStore } from '../profiles/enrolment.ts';
import type { QueryLog } from '../query-log/query-log.ts';
import type { CleartextCount } from './cleartext-count.ts';
import { describeService } from './describe-service.ts';
import type { Metric } from './metric.ts';

export interface MetricsNowParts {
  status(): ServiceStatus;
  engine: Pick<EngineDriver, 'status'>;
  queryLog: Pick<QueryLog, 'tally'>;
  enrolment: Pick<EnrolmentStore, 'current' | 'here'>;
  audit: Pick<AuditLog, 'head'>;
  cleartext(): ReadonlyMap<string, CleartextCount>;
  dnstap: { sent: number; dropped: number };
  now(): number;
}

const freshMs = 1_000;
/** The log's writer may be waiting for its disk. */
const patienceMs = 2_000;

export function createMetricsNow(parts: MetricsNowParts): () => Promise<readonly Metric[]> {
  let last: { at: number; metrics: Promise<readonly Metric[]> } | null = null;
  let tallying: Promise<QueryTally | null> | null = null;

  /** Null: the writer does not say it now. */
  async function tally(): Promise<QueryTally | null> {
    tallying ??= parts.queryLog.tally().finally(() => {
      tallying = null;
    });
    const late = Promise.withResolvers<null>();
    const timer = setTimeout(() => late.resolve(null), patienceMs);
    return await Promise.race([tallying, late.promise]).finally(() => clearTimeout(timer));
  }

  async function describe(): Promise<readonly Metric[]> {
    const counted = await tally();
    return describeService({
      status: parts.status(),
      memory: process.memoryUsage.rss(),
      strays: parts.engine.status().strays,
      tally: counted,
      profile: describeEnrolled(parts.enrolment),
      auditHead: parts.audit.head(),
      cleartext: parts.cleartext(),
      dnstap: parts.dnstap,
    });
  }

  return () => {
    const at = parts.now();
    // A clock that is set back makes nothing fresh for ever.
    if (last === null || Math.abs(at - last.at) >= freshMs) last = { at, metrics: describe() };
    return last.metrics;
  };
}

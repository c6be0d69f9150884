/** The audit log of this service, wired: its files, its health, and its methods. */
import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { AuditHead } from '../../contract/protection/audit-record.ts';
import { say } from '../../contract/sentences/sentence.ts';
import type { ServiceHandlers } from '../../contract/service-api.ts';
import { sayErrno } from '../base/errno-words.ts';
import type { HealthRegistry } from '../health/health-registry.ts';
import { auditFiles } from './audit-files.ts';
import { type AuditLog, openAuditLog } from './audit-log.ts';
import { auditedSettings } from './audited-settings.ts';
import { followCalls } from './calls.ts';

const retryMs = 30_000;

export function openAudit(file: string) {
  const audit = openAuditLog({
    files: auditFiles(file),
    now: Date.now,
    elapsed: () => performance.now(),
    later: (run) => void setTimeout(run, retryMs).unref(),
  });
  const calls = followCalls();
  return { audit, calls, auditedSettings: auditedSettings(audit, calls) };
}

export function followAuditHealth(
  audit: Pick<AuditLog, 'onTrouble'>,
  health: Pick<HealthRegistry, 'raise' | 'clear'>,
): void {
  audit.onTrouble(({ stopped, broken }) => {
    if (stopped === null) health.clear('audit-stopped');
    else health.raise('audit-stopped', [say('audit-stopped-by', { reason: stopped })]);
    if (broken !== null) health.raise('audit-broken', [say('audit-broken-at', { why: broken })]);
  });
}

export type AuditHandlers = Pick<ServiceHandlers, 'audit.list' | 'audit.head'>;

export function createAuditHandlers(audit: Pick<AuditLog, 'read' | 'head'>): AuditHandlers {
  return {
    'audit.list': (wanted) => {
      try {
        return succeed({ records: audit.read(wanted), head: audit.head() });
      } catch (error) {
        return unreadable(error);
      }
    },
    'audit.head': (): Result<AuditHead> => succeed(audit.head()),
  };
}

function unreadable(error: unknown): Result<never> {
  return fail(
    'log-unavailable',
    `the audit log can't be read: ${sayErrno(error)}`,
    'check who owns its files in the state folder',
  );
}

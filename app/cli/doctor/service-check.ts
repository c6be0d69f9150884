/** Whether the service runs, in this version, and what it says of itself. Pure. */
import type { Failure } from '../../contract/errors.ts';
import type { HealthIssue } from '../../contract/health-issue.ts';
import type { LedgerEntry } from '../../contract/ledger-entry.ts';
import type { ResultOf } from '../../contract/service-api.ts';
import type { ServiceStatus } from '../../contract/service-status.ts';
import { readVersion } from '../version.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

export function judgeService({ version, pid }: ResultOf<'hello'>): Finding {
  const own = readVersion();
  if (version === own) return ok('service', `The service runs, version ${version}, pid ${pid}.`);
  return fail(
    'service',
    `The service is of version ${version}, this command of ${own}.`,
    'restart the service',
  );
}

export function judgeServiceAbsence({ message, remedy }: Failure): Finding {
  return fail('service', `${message}.`, remedy);
}

export function judgeStatus({ protection, sentence, clear, health }: ServiceStatus): Finding[] {
  return [
    judgeProtection(protection.state, sentence),
    ...judgeLedger(clear),
    ...(health.some(({ code }) => code === 'bypass-loop')
      ? []
      : [ok('loops', 'No resolver leads back to Sotto.')]),
    ...health.filter(({ code }) => !toldElsewhere.has(code)).map(judgeIssue),
  ];
}

/** By the settings, upstream, protection and clock checks, which say more. */
const toldElsewhere = new Set<HealthIssue['code']>([
  'settings-invalid',
  'policy-file-invalid',
  'policy-overrides-user',
  'no-private-path',
  'certificate-wrong',
  'clock-wrong',
  'log-stopped',
]);

function judgeProtection(state: ServiceStatus['protection']['state'], sentence: string): Finding {
  switch (state) {
    case 'private':
    case 'starting':
      return ok('protection', sentence);
    case 'off':
    case 'paused':
      return warn('protection', sentence, 'end it with: sotto on');
    case 'exposed':
      return warn('protection', sentence, 'see what leaves: sotto ledger');
    default:
      return fail('protection', sentence, 'see what is said of the upstreams below');
  }
}

function judgeLedger(entries: readonly LedgerEntry[]): Finding[] {
  if (entries.length === 0) return [ok('ledger', 'No permission to send in clear is open.')];
  return entries.map((entry) => {
    const rule = entry.rule === '' ? '' : ` for ${entry.rule}`;
    const text = `Questions may leave in clear (${entry.class}${rule}); ${entry.count ?? 'nobody knows how many'} did.`;
    // A bypass is what the settings ask for.
    return entry.class === 'bypass'
      ? ok('ledger', text, String(entry.id))
      : warn('ledger', text, 'end it with "sotto on", or see "sotto status"', String(entry.id));
  });
}

function judgeIssue({ code, subject, severity, text, remedy }: HealthIssue): Finding {
  const check = code === 'bypass-loop' ? 'loops' : code;
  if (severity === 'info') return ok(check, text, subject);
  return severity === 'error'
    ? fail(check, text, remedy, subject)
    : warn(check, text, remedy, subject);
}

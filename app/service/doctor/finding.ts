/** What one check found, composed. */
import type { Finding, RemedyAction } from '../../contract/finding.ts';
import type { MethodName, Params } from '../../contract/service-api.ts';

export type { Finding } from '../../contract/finding.ts';

export function ok(check: string, text: string, subject = ''): Finding {
  return { check, subject, verdict: 'ok', text, remedy: null, action: null };
}

export function warn(check: string, text: string, remedy: string, subject = ''): Finding {
  return { check, subject, verdict: 'warn', text, remedy, action: null };
}

export function fail(check: string, text: string, remedy: string, subject = ''): Finding {
  return { check, subject, verdict: 'fail', text, remedy, action: null };
}

/** The same, with a remedy that the service itself can carry out. */
export function curable<Name extends MethodName>(
  finding: Finding,
  method: Name,
  params: Params<Name>,
): Finding {
  return { ...finding, action: { method, params: params as RemedyAction['params'] } };
}

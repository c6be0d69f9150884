/** What one check found, composed. */

import { inEnglish, type Said } from '../../contract/sentences/sentence.ts';
import type { MethodName, Params } from '../../contract/service-api.ts';
import type { Finding, RemedyAction, Verdict } from '../../contract/status/finding.ts';

export type { Finding } from '../../contract/status/finding.ts';

/** Sentences of ours; a string: a text from elsewhere, such as the error of a failed call. */
export type Told = Said | readonly Said[] | string;

export function ok(check: string, text: Told, subject = ''): Finding {
  return compose(check, 'ok', text, null, subject);
}

export function warn(check: string, text: Told, remedy: Told, subject = ''): Finding {
  return compose(check, 'warn', text, remedy, subject);
}

export function fail(check: string, text: Told, remedy: Told, subject = ''): Finding {
  return compose(check, 'fail', text, remedy, subject);
}

/** The same, with a remedy that the service itself can carry out. */
export function curable<Name extends MethodName>(
  finding: Finding,
  method: Name,
  params: Params<Name>,
): Finding {
  return { ...finding, action: { method, params: params as RemedyAction['params'] } };
}

function compose(
  check: string,
  verdict: Verdict,
  text: Told,
  remedy: Told | null,
  subject: string,
): Finding {
  return {
    check,
    subject,
    verdict,
    text: english(text),
    remedy: remedy === null ? null : english(remedy),
    says: { text: codesOf(text), remedy: remedy === null ? [] : codesOf(remedy) },
    action: null,
  };
}

function english(told: Told): string {
  return typeof told === 'string' ? told : inEnglish(told);
}

function codesOf(told: Told): Said[] {
  return typeof told === 'string' ? [] : [told].flat();
}

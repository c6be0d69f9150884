/** What one check found: a verdict, one sentence, and what to do about it. */

export type Verdict = 'ok' | 'warn' | 'fail';

export interface Finding {
  /** stable, for scripts: "upstream", "disk" */
  check: string;
  /** what it is about, where there can be several of a kind: an upstream's id, an address; else empty */
  subject: string;
  verdict: Verdict;
  text: string;
  /** null where nothing needs to be done */
  remedy: string | null;
}

export function ok(check: string, text: string, subject = ''): Finding {
  return { check, subject, verdict: 'ok', text, remedy: null };
}

export function warn(check: string, text: string, remedy: string, subject = ''): Finding {
  return { check, subject, verdict: 'warn', text, remedy };
}

export function fail(check: string, text: string, remedy: string, subject = ''): Finding {
  return { check, subject, verdict: 'fail', text, remedy };
}

/** Expected failures are values. The code is stable, so that scripts and windows may depend on it; the text may change. */

export const failureCodes = [
  'settings-invalid',
  'settings-unreadable',
  'settings-changed',
  'setting-locked',
  'pause-code-needed',
  'pause-code-refused',
  'no-pause-key',
  'profile-refused',
  'profile-not-yet',
  'profile-waits',
  'profile-unreachable',
  'fingerprint-differs',
  'no-profile',
  'unknown-setting',
  'nothing-to-undo',
  'nothing-vanished',
  'params-invalid',
  'unknown-method',
  'forbidden',
  'hello-missing',
  'version-mismatch',
  'not-running',
  'already-running',
  'machine-service',
  'connection-lost',
  'socket-path-too-long',
  'state-unwritable',
  'engine-missing',
  'engine-refused',
  'engine-failed',
  'listen-failed',
  'unknown-upstream',
  'unknown-identity',
  'identity-unusable',
  'identity-in-use',
  'unknown-resolver',
  'unknown-rule',
  'unknown-claim',
  'unknown-network',
  'unknown-subscription',
  'unknown-consent-request',
  'consent-request-closed',
  'no-portal',
  'site-refused',
  'bad-query',
  'bad-stamp',
  'bad-rules',
  'helper-missing',
  'helper-refused',
  'gate-missing',
  'no-mechanism',
  'authority-missing',
  'authority-unreachable',
  'authority-dismissed',
  'authority-refused',
  'authority-busy',
  'authority-late',
  'log-unavailable',
  'filter-invalid',
  'superseded',
  'too-many',
  'too-slow',
  'unknown-event',
  'internal',
] as const;

export type FailureCode = (typeof failureCodes)[number];

export interface Failure {
  code: FailureCode;
  /** what happened */
  message: string;
  /** what to do next */
  remedy: string;
  /** the field, file or peer it is about */
  subject: string | null;
}

export type Result<Value> = { ok: true; value: Value } | { ok: false; failure: Failure };

export function succeed<Value>(value: Value): Result<Value> {
  return { ok: true, value };
}

export function fail(
  code: FailureCode,
  message: string,
  remedy: string,
  subject: string | null = null,
): { ok: false; failure: Failure } {
  return { ok: false, failure: { code, message, remedy, subject } };
}

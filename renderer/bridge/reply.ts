/** A reply to a method, checked against the contract. */
import { fail, failureCodes, type Result, succeed } from '../../app/contract/errors.ts';
import type { MethodName, ResultOf } from '../../app/contract/service-api.ts';
import { misfit } from './misfit.ts';

export function readReply<Name extends MethodName>(
  name: Name,
  raw: unknown,
): Result<ResultOf<Name>> {
  if (!isResult(raw)) return notUnderstood(name, '');
  if (!raw.ok) return raw;
  const wrong = misfit('results', name, raw.value);
  return wrong === null ? succeed(raw.value as ResultOf<Name>) : notUnderstood(name, wrong);
}

/** The same for a reply that holds no value: of the page's own server, or the tray. */
export function readDone(name: string, raw: unknown): Result<null> {
  if (!isResult(raw)) return notUnderstood(name, '');
  return raw.ok ? succeed(null) : raw;
}

function isResult(raw: unknown): raw is Result<unknown> {
  if (typeof raw !== 'object' || raw === null || !('ok' in raw)) return false;
  if (raw.ok === true) return 'value' in raw;
  if (!('failure' in raw) || typeof raw.failure !== 'object' || raw.failure === null) return false;
  return 'code' in raw.failure && (failureCodes as readonly unknown[]).includes(raw.failure.code);
}

function notUnderstood(name: string, where: string): Result<never> {
  return fail(
    'version-mismatch',
    `the service's reply to ${name} was not understood (${where})`,
    'restart the service, so that both are of the same version',
  );
}

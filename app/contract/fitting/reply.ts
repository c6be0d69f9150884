/** A reply to a method, checked against the contract. */
import { type Failure, fail, type Result, succeed } from '../errors.ts';
import type { MethodName, ResultOf } from '../service-api.ts';
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
  return raw.ok === false && 'failure' in raw && isFailure(raw.failure);
}

export function isFailure(value: unknown): value is Failure {
  return misfit('values', 'failure', value) === null;
}

function notUnderstood(name: string, where: string): Result<never> {
  const place = where === '' ? '' : ` (${where.replace(/\.(\d+)(?=\.|$)/g, '[$1]')})`;
  return fail(
    'version-mismatch',
    `the service's reply to ${name} was not understood${place}`,
    'restart the service, so that both are of the same version',
  );
}

import type { Failure } from '../../contract/errors.ts';
import { messageOf } from '../base/errno-words.ts';

/** The failure that a person reads when the query log can't be read. */
export function logUnavailable(what: string, error: unknown): Failure {
  return {
    code: 'log-unavailable',
    message: `${what}: ${messageOf(error)}.`,
    remedy: 'See "sotto status" for what is wrong with the query log. DNS is not affected.',
    subject: null,
  };
}

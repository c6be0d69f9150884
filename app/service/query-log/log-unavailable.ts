import type { Failure } from '../../contract/errors.ts';

/** What a person is told when the history can't be had. */
export function logUnavailable(what: string, error: unknown): Failure {
  return {
    code: 'log-unavailable',
    message: `${what}: ${sayError(error)}.`,
    remedy: 'See "sotto status" for what is wrong with the history. DNS is not affected.',
    subject: null,
  };
}

export function sayError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

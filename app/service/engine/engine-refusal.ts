/** What the engine throws, as failures that a person can do something about. */
import { type Failure, fail, type Result, succeed } from '../../contract/errors.ts';
import { messageOf } from '../base/errno-words.ts';

export function neverResolved(type: string): Result<never> {
  return fail(
    'bad-query',
    `queries of type ${type} are not resolved`,
    'ask for A, AAAA, HTTPS, TXT …',
    'type',
  );
}

/** What can be wrong is the name. */
export function aboutName<Value>(work: () => Value): Result<Value> {
  try {
    return succeed(work());
  } catch (error) {
    const text = messageOf(error);
    return fail('bad-query', asRefusal(text)?.message ?? text, 'correct the name');
  }
}

/** The engine's own refusal, or whatever else went wrong. */
export function readRefusal(error: unknown): Failure {
  const text = messageOf(error);
  const { code, path, message, remedy } = asRefusal(text) ?? { message: text };
  return {
    code: code?.startsWith('listen') ? 'listen-failed' : 'engine-refused',
    message: message ?? text,
    remedy: remedy ?? "see the service's own log",
    subject: path ?? null,
  };
}

function asRefusal(
  text: string,
): Partial<Record<'code' | 'path' | 'message' | 'remedy', string>> | null {
  try {
    const refusal: unknown = JSON.parse(text);
    return typeof refusal === 'object' ? refusal : null;
  } catch {
    return null;
  }
}

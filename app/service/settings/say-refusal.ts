import type { Failure } from '../../contract/errors.ts';

/** The engine refused settings that looked right: the failure blames the settings, with the engine's text. */
export function sayRefusal({ message, remedy, subject }: Failure): string {
  return [subject, `${message}; ${remedy}`].filter(Boolean).join(': ');
}

import type { Failure } from '../../contract/errors.ts';

/** The engine's refusal of settings that looked right: told as the settings' fault, with the engine's words. */
export function sayRefusal({ message, remedy, subject }: Failure): string {
  return [subject, `${message}; ${remedy}`].filter(Boolean).join(': ');
}

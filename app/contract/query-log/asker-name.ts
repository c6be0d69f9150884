/** A short name for the program that asked; empty where nothing is known of it. */
import type { Asker } from './query-event.ts';

/** Groups in which a person starts programs of all kinds: the executable says more. */
const shared: ReadonlySet<string> = new Set(['', 'session']);

export function askerName({
  program,
  application,
  executable,
  container,
}: Pick<Asker, 'program' | 'application' | 'executable' | 'container'>): string {
  const own = executable.slice(executable.lastIndexOf('/') + 1);
  if (shared.has(program) && own !== '') return own;
  return application || container || program;
}

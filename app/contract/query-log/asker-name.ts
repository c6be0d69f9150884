/** A short name for the program that asked; empty where nothing is known of it. */
import type { Asker } from './query-event.ts';

/** Groups in which a person starts programs of all kinds: the executable says more. */
const shared: ReadonlySet<string> = new Set(['', 'session']);

export function askerName({
  program,
  application,
  executable,
  container,
  unit,
  user,
}: Pick<Asker, 'program' | 'application' | 'executable' | 'container' | 'unit' | 'user'>): string {
  const own = executable.slice(executable.lastIndexOf('/') + 1);
  if (shared.has(program) && own !== '') return own;
  const group = program === 'session' ? sessionOf(unit, user) : program;
  return application || container || group;
}

/** Which session it is, where the executable of another account's program may not be seen: "ann · session-3". */
function sessionOf(unit: string, user: string): string {
  const which = [user, unit.replace(/\.(?:scope|service)$/, '')].filter((part) => part !== '');
  return which.join(' · ') || 'session';
}

/** A short name for the program that asked; empty where nothing is known of it. */
import type { Asker } from './query-event.ts';

type Known = Pick<Asker, 'program' | 'executable' | 'container'>;

/** Groups in which a person starts programs of all kinds: the executable says more. */
export const sharedGroups: readonly string[] = ['', 'session'];

/** As `program:` finds it, and lists and figures count it. SQL has the same rule (app/service/query-log/program-column.ts). */
export function programName({ program, executable, container }: Known): string {
  return ownName({ program, executable }) || container || program;
}

/** As a person reads it. */
export function askerName({
  application,
  unit,
  user,
  ...known
}: Known & Pick<Asker, 'application' | 'unit' | 'user'>): string {
  const { program, container } = known;
  const own = ownName(known);
  if (own === '' && container === '' && program === 'session') return sessionOf(unit, user);
  return own || application || programName(known);
}

function ownName({ program, executable }: Pick<Known, 'program' | 'executable'>): string {
  return sharedGroups.includes(program) ? executable.slice(executable.lastIndexOf('/') + 1) : '';
}

/** Which session it is, where the executable of another account's program may not be seen: "ann · session-3". */
function sessionOf(unit: string, user: string): string {
  const which = [user, unit.replace(/\.(?:scope|service)$/, '')].filter((part) => part !== '');
  return which.join(' · ') || 'session';
}

/**
 * A person's wish to protect this computer, or to stop: the service is asked first, and the system's authority where this account may
 * not. One at a time; it outlives the page on which it was begun.
 */
import type { Failure, Result } from '../../../app/contract/errors.ts';
import { startHelperOf, type TakingChange } from '../../../app/contract/protection/taking-words.ts';
import type { Session } from '../../state/session.ts';
import { createStore, type Readable } from '../../state/store.ts';

export type Attempt =
  /** `asking`: the service; `prompting`: the system shows its prompt */
  | { is: 'asking' | 'prompting' | 'made'; change: TakingChange }
  | { is: 'refused'; change: TakingChange; failure: Failure; startHelper: string | null };

const current = createStore<Attempt | null>(null);
/** null: there is none, or the person has seen how it ended */
export const attempt: Readable<Attempt | null> = current;
let ending = new AbortController();

/** Resolves to whether it was made. */
export async function begin(session: Session, change: TakingChange): Promise<boolean> {
  if (isUnderWay(current.get())) return false;
  ending = new AbortController();
  const { signal } = ending;
  const show = (next: Attempt) => {
    if (!signal.aborted) current.set(next);
  };
  show({ is: 'asking', change });
  const asked = await session.call(change === 'take' ? 'system.take' : 'system.giveBack', {});
  const made = mayNot(asked) ? await prompt() : asked;
  if (made.ok) show({ is: 'made', change });
  else show({ is: 'refused', change, failure: made.failure, startHelper: await lineFor(session) });
  return made.ok;

  function prompt(): Promise<Result<null>> {
    show({ is: 'prompting', change });
    return session.askAuthority(change, signal);
  }
}

export function isUnderWay(made: Attempt | null): boolean {
  return made?.is === 'asking' || made?.is === 'prompting';
}

/** Ends it, with its prompt. */
export function dismiss(): void {
  ending.abort();
  current.set(null);
}

function mayNot(asked: Result<unknown>): boolean {
  return !asked.ok && asked.failure.code === 'forbidden';
}

async function lineFor(session: Session): Promise<string | null> {
  const details = await session.call('system.status', {});
  return details.ok ? startHelperOf(details.value) : null;
}

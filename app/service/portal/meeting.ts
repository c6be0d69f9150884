/**
 * A meeting with a peer whom nobody vouches for: a portal, or whoever speaks in its place. The rule, wherever the service reads
 * what a network sends (docs/design/portals.md):
 *
 *  1. each socket, request and response is held from the moment it exists, so that its errors are heard however late they come;
 *  2. a listener of its events settles a promise or destroys, and does nothing that could throw: what follows is done in `work`,
 *     whose failure ends this meeting and nothing else;
 *  3. a deadline that no activity of the peer moves ends it, and with it everything that is held.
 */
import type { EventEmitter } from 'node:events';

export interface Meeting {
  /** Destroyed when the meeting is over, however it ends. */
  hold<Kind extends Part>(part: Kind): Kind;
  /** From now on it has so long, whatever it had before. */
  endIn(milliseconds: number): void;
}

type Part = EventEmitter & { destroy(): unknown };

interface Terms {
  withinMs: number;
  /** ends it, too */
  signal?: AbortSignal;
}

/** What the work came to; null: it failed, or its time was over. Never rejects. */
export async function meet<Outcome>(
  { withinMs, signal }: Terms,
  work: (meeting: Meeting) => Promise<Outcome>,
): Promise<Outcome | null> {
  const held = new Set<Part>();
  const over = Promise.withResolvers<null>();
  const end = () => over.resolve(null);
  let isOver = signal?.aborted === true;
  if (isOver) return null;
  let deadline = setTimeout(end, withinMs);
  signal?.addEventListener('abort', end);
  const meeting: Meeting = {
    hold(part) {
      hearErrors(part);
      if (isOver) part.destroy();
      else held.add(part);
      return part;
    },
    endIn(milliseconds) {
      if (isOver) return;
      clearTimeout(deadline);
      deadline = setTimeout(end, milliseconds);
    },
  };
  try {
    return await Promise.race([work(meeting), over.promise]);
  } catch {
    return null;
  } finally {
    isOver = true;
    clearTimeout(deadline);
    signal?.removeEventListener('abort', end);
    for (const part of held) part.destroy();
  }
}

/** An error that nobody listens for would end the service; whoever must know of this one learns it from "close". */
export function hearErrors<Kind extends EventEmitter>(part: Kind): Kind {
  return part.on('error', () => {});
}

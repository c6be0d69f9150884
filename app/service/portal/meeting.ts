/**
 * A meeting with a peer that is not authenticated: a portal, or another host in its place. This rule holds wherever the service
 * reads what a network sends (docs/design/portals.md):
 *
 *  1. each socket, request and response is held from the moment it exists, so that its errors have a listener however late they
 *     come;
 *  2. a listener of its events settles a promise or destroys, and does nothing that could throw: what follows is done in
 *     `work`, whose failure ends this meeting and nothing else;
 *  3. a deadline ends the meeting and everything that is held; no activity of the peer moves it.
 */
import type { EventEmitter } from 'node:events';

export interface Meeting {
  /** Destroyed when the meeting is over, however it ends. */
  hold<Kind extends Part>(part: Kind): Kind;
  /** Sets a new deadline in place of the old one. */
  endIn(milliseconds: number): void;
}

type Part = EventEmitter & { destroy(): unknown };

interface Terms {
  withinMs: number;
  /** ends it, too */
  signal?: AbortSignal;
}

/** Resolves to the result of `work`; null: it failed, or its time was over. Never rejects. */
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

/** An error without a listener would end the service. Code that must know of this error learns it from "close". */
export function hearErrors<Kind extends EventEmitter>(part: Kind): Kind {
  return part.on('error', () => {});
}

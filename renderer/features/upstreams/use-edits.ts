/** Changes of the list of upstreams; each can be undone until the next change. */
import { useState } from 'react';
import type { Result } from '../../../app/contract/errors.ts';
import type {
  NewUpstream,
  UpstreamChanged,
} from '../../../app/contract/settings/upstream-methods.ts';
import { isPrivate } from '../../../app/contract/settings/upstream-settings.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { tellFailure } from '../../components/failure-words.tsx';
import { useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';

export interface LastChange {
  words: string;
  /** what the person should know about what was added */
  notes: readonly string[];
  /** after the change */
  revision: string;
}

export interface Edits {
  last: LastChange | null;
  move(id: string, to: number, of: number): void;
  remove(id: string): void;
  /** The caller shows the failure where the person typed. */
  add(upstream: NewUpstream): Promise<Result<UpstreamChanged>>;
  undo(): void;
  /** What was said of the last change goes. */
  close(): void;
}

/** `nameOf`: what an upstream is called on the page. */
export function useEdits(nameOf: (id: string) => string, onEdited: () => void): Edits {
  const { text, formats } = useWords();
  const { session } = useService();
  const [last, setLast] = useState<LastChange | null>(null);

  function done(words: string, { change }: UpstreamChanged, notes: readonly string[] = []): void {
    setLast({ words, notes, revision: change.revision });
    onEdited();
  }

  async function move(id: string, to: number, of: number): Promise<void> {
    const moved = await session.call('upstream.move', { id, to });
    if (!moved.ok) return tellFailure(moved.failure);
    const words = text.upstreams;
    const moves = words.move.moved(nameOf(id), formats.count(to + 1), formats.count(of));
    done(to === 0 ? words.first.made(nameOf(id)) : moves, moved.value);
  }

  async function remove(id: string): Promise<void> {
    const removed = await session.call('upstream.remove', { id });
    if (!removed.ok) return tellFailure(removed.failure);
    done(text.upstreams.remove.removed(nameOf(id)), removed.value);
  }

  async function add(upstream: NewUpstream): Promise<Result<UpstreamChanged>> {
    const added = await session.call('upstream.add', { upstream });
    if (!added.ok) return added;
    const { id } = added.value.upstream;
    const name = 'resolver' in upstream ? nameOf(upstream.resolver) : safe(id);
    done(text.upstreams.add.added(name), added.value, notesOn(added.value));
    return added;
  }

  function notesOn({ upstream }: UpstreamChanged): string[] {
    if (upstream.transport === 'encdns') return [text.upstreams.facts.encdns];
    return isPrivate(upstream.transport) ? [] : [text.upstreams.add.clearHint];
  }

  /** The service undoes the last change, so check first whether that is this one. */
  async function undo(): Promise<void> {
    const words = text.upstreams.undo;
    const now = await session.call('settings.effective', {});
    if (!now.ok) return tellFailure(now.failure);
    const isMine = now.value.revision === last?.revision;
    const undone = isMine ? await session.call('settings.undo', {}) : null;
    if (undone?.ok === false) return tellFailure(undone.failure);
    setLast(null);
    toast(isMine ? 'done' : 'problem', isMine ? words.done : words.late);
    onEdited();
  }

  return {
    last,
    move: (id, to, of) => void move(id, to, of),
    remove: (id) => void remove(id),
    add,
    undo: () => void undo(),
    close: () => setLast(null),
  };
}

/** Changes of the list of upstreams; each can be undone until the next change. */
import { useState } from 'react';
import type { Result } from '../../../app/contract/errors.ts';
import type {
  NewUpstream,
  UpstreamChanged,
} from '../../../app/contract/settings/upstream-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { tellFailure } from '../../components/failure-words.tsx';
import { useService } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';

export interface LastChange {
  words: string;
  /** what the service tells the person about the change */
  notes: readonly string[];
  /** the revision after the change; null: there is nothing to undo */
  revision: string | null;
}

export interface Edits {
  last: LastChange | null;
  move(id: string, to: number, of: number): void;
  remove(id: string): void;
  /** The caller shows the failure where the person typed. */
  add(upstream: NewUpstream): Promise<Result<UpstreamChanged>>;
  undo(): void;
}

export function useEdits(onEdited: () => void): Edits {
  const { text, formats } = useWords();
  const { session } = useService();
  const [last, setLast] = useState<LastChange | null>(null);

  function done(words: string, { change, notes }: UpstreamChanged): void {
    setLast({ words, notes, revision: change.revision });
    onEdited();
  }

  async function move(id: string, to: number, of: number): Promise<void> {
    const moved = await session.call('upstream.move', { id, to });
    if (!moved.ok) return tellFailure(moved.failure);
    const place = formats.count(to + 1);
    done(text.upstreams.move.moved(safe(id), place, formats.count(of)), moved.value);
  }

  async function remove(id: string): Promise<void> {
    const removed = await session.call('upstream.remove', { id });
    if (!removed.ok) return tellFailure(removed.failure);
    done(text.upstreams.remove.removed(safe(id)), removed.value);
  }

  async function add(upstream: NewUpstream): Promise<Result<UpstreamChanged>> {
    const added = await session.call('upstream.add', { upstream });
    if (added.ok) done(text.upstreams.add.added(safe(added.value.upstream.id)), added.value);
    return added;
  }

  /** The service undoes the last change, so check first whether that is this one. */
  async function undo(): Promise<void> {
    const words = text.upstreams.undo;
    const now = await session.call('settings.effective', {});
    if (!now.ok) return tellFailure(now.failure);
    const told = (said: string) => setLast({ words: said, notes: [], revision: null });
    if (now.value.revision !== last?.revision) return told(words.late);
    const undone = await session.call('settings.undo', {});
    if (!undone.ok) return tellFailure(undone.failure);
    told(words.done);
    onEdited();
  }

  return {
    last,
    move: (id, to, of) => void move(id, to, of),
    remove: (id) => void remove(id),
    add,
    undo: () => void undo(),
  };
}

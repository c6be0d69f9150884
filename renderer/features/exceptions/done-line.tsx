/** The last change, with a button to undo it; it stays until the next change. */
import { type Ref, useEffect, useRef, useState } from 'react';
import type { Result } from '../../../app/contract/errors.ts';
import type { NameClaim } from '../../../app/contract/settings/rule-methods.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { useLive, useService } from '../../state/service.ts';
import type { Session } from '../../state/session.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './exceptions.module.css';

export interface Done {
  words: string;
  /**
   * The revision after a change of the settings, because later changes by others must not be undone; or the claim that was
   * allowed, which is kept encrypted again. Null: what was stopped is not allowed again by a slip.
   */
  undo: { revision: string } | { allowed: Pick<NameClaim, 'suffix' | 'link'> } | null;
  /** the element with the focus is gone */
  removed: boolean;
}

export function DoneLine({ done, onUndone }: { done: Done | null; onUndone(): void }) {
  const { text } = useWords();
  const { session } = useService();
  const [undone, setUndone] = useState<Done | null>(null);
  const line = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (done?.removed) (button.current ?? line.current)?.focus();
  }, [done]);

  async function undo(way: Way): Promise<void> {
    const back = await takeBack(session, way);
    if (back === 'superseded') return toast('problem', text.exceptions.superseded);
    if (!back.ok) return tellFailure(back.failure);
    setUndone(done);
    // The button is about to disappear.
    line.current?.focus();
    onUndone();
  }

  return (
    <div ref={line} className={styles.done} role="status" tabIndex={-1}>
      {done === null ? null : undone === done ? (
        text.exceptions.undone
      ) : (
        <>
          <span>{done.words}</span>
          {done.undo === null ? null : (
            <UndoButton at={button} of={done.undo} onUndo={(way) => void undo(way)} />
          )}
        </>
      )}
    </div>
  );
}

type Way = NonNullable<Done['undo']>;

async function takeBack(session: Session, way: Way): Promise<Result<unknown> | 'superseded'> {
  if ('allowed' in way) return session.call('rule.answer', { ...way.allowed, believe: false });
  const now = await session.call('settings.effective', {});
  if (!now.ok) return now;
  return now.value.revision === way.revision ? session.call('settings.undo', {}) : 'superseded';
}

interface UndoButtonProps {
  at: Ref<HTMLButtonElement>;
  of: Way;
  onUndo(way: Way): void;
}

function UndoButton({ at, of: way, onUndo }: UndoButtonProps) {
  const { text } = useWords();
  const live = useLive();
  return (
    <Button ref={at} disabled={!live} onClick={() => onUndo(way)}>
      {text.exceptions.undo}
    </Button>
  );
}

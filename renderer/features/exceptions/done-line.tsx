/** The last change, with a button to undo it; it stays until the next change. */
import { useEffect, useRef, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './exceptions.module.css';

export interface Done {
  words: string;
  /** the revision after the change: later changes by others must not be undone */
  revision: string;
  /** the element with the focus is gone */
  removed: boolean;
}

export function DoneLine({ done, onUndone }: { done: Done | null; onUndone(): void }) {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const [undone, setUndone] = useState<Done | null>(null);
  const line = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (done?.removed) button.current?.focus();
  }, [done]);

  async function undo({ revision }: Done): Promise<void> {
    const now = await session.call('settings.effective', {});
    if (!now.ok) return tellFailure(now.failure);
    if (now.value.revision !== revision) return toast('problem', text.exceptions.superseded);
    const back = await session.call('settings.undo', {});
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
          <Button ref={button} disabled={!live} onClick={() => void undo(done)}>
            {text.exceptions.undo}
          </Button>
        </>
      )}
    </div>
  );
}

/** Says what was just changed, with a button that takes it back. */
import { toastWithButton } from '../state/toasts.ts';
import { useWords } from '../text/use-text.ts';
import { Button } from './button.tsx';
import styles from './undo-toast.module.css';

export function offerUndo(said: string, undo: () => Promise<void>): void {
  toastWithButton((close) => <Undoable said={said} undo={() => void undo().then(close)} />);
}

function Undoable({ said, undo }: { said: string; undo(): void }) {
  const { text } = useWords();
  return (
    <span className={styles.line}>
      {said}
      <Button onClick={undo}>{text.settings.undo}</Button>
    </span>
  );
}

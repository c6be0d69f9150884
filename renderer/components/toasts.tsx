import { useStore } from '../state/store.ts';
import { dismiss, toasts } from '../state/toasts.ts';
import { useWords } from '../text/use-text.ts';
import { Button } from './button.tsx';
import styles from './toasts.module.css';

/** Screen readers read them as they come, without taking the focus. */
export function Toasts() {
  const { text } = useWords();
  const shown = useStore(toasts);
  return (
    <div className={styles.toasts} role="status">
      {shown.map(({ id, kind, content }) => (
        <div key={id} className={styles.toast} data-kind={kind}>
          <div className={styles.words}>{content}</div>
          <Button variant="quiet" onClick={() => dismiss(id)}>
            {text.frame.dismiss}
          </Button>
        </div>
      ))}
    </div>
  );
}

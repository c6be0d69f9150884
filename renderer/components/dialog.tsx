/** A dialog that a person answers before going on: the platform's own keeps the focus, and Esc closes it. */
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useWords } from '../text/use-text.ts';
import { Button } from './button.tsx';
import styles from './dialog.module.css';

interface DialogProps {
  title: string;
  onClose(): void;
  children: ReactNode;
  /** buttons beside the one that closes it */
  actions?: ReactNode;
  /** without a headline of its own: the content has one */
  bare?: boolean;
}

/** Drawn while it is open: the component that opens it draws it, and stops when `onClose` is called. */
export function Dialog({ title, onClose, children, actions, bare = false }: DialogProps) {
  const { text } = useWords();
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const dialog = element.current;
    const before = document.activeElement;
    if (dialog?.open === false) dialog.showModal();
    return () => {
      dialog?.close();
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      className={bare ? styles.bare : styles.dialog}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
      onKeyDown={(event) => event.stopPropagation()}
    >
      <div className={styles.content}>
        <h2 id={heading} className={bare ? 'spoken' : styles.title}>
          {title}
        </h2>
        {children}
        {bare ? null : (
          <div className={styles.actions}>
            <Button onClick={onClose}>{text.frame.close}</Button>
            {actions}
          </div>
        )}
      </div>
    </dialog>
  );
}

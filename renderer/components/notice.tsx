/** A notice that a person must see: what happened, what it means, what to do. */
import type { ReactNode } from 'react';
import { useWords } from '../text/use-text.ts';
import styles from './notice.module.css';

interface NoticeProps {
  severity: 'info' | 'warning' | 'error';
  title: string;
  children?: ReactNode;
  remedy?: ReactNode;
  actions?: ReactNode;
}

export function Notice({ severity, title, children, remedy, actions }: NoticeProps) {
  const { text } = useWords();
  return (
    <section className={`${styles.notice} ${styles[severity]}`} aria-label={title}>
      <svg className={styles.mark} viewBox="0 0 20 20" aria-hidden="true">
        {marks[severity]}
      </svg>
      <div className={styles.words}>
        <h3>{title}</h3>
        {children === undefined ? null : <div>{children}</div>}
        {remedy === undefined ? null : (
          <p className={styles.remedy}>
            <span className="spoken">{text.frame.remedy}</span>
            <span aria-hidden="true">→ </span>
            {remedy}
          </p>
        )}
        {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
      </div>
    </section>
  );
}

const marks = {
  info: <path d="M10 9v6M10 5.2v.6M10 1.5a8.5 8.5 0 1 1 0 17 8.5 8.5 0 0 1 0-17Z" />,
  warning: <path d="M10 7.5V12m0 2.4v.6M10 2 1.5 17.5h17Z" />,
  error: <path d="M10 5.5V11m0 3v.6M6.5 1.5h7l5 5v7l-5 5h-7l-5-5v-7Z" />,
};

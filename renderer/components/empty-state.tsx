/** Says that there is nothing to show, why, and what to do about it. */
import type { ReactNode } from 'react';
import styles from './empty-state.module.css';

interface EmptyStateProps {
  title: string;
  /** 1 where it stands for the whole page, 3 inside a section */
  level?: 1 | 2 | 3;
  children?: ReactNode;
  actions?: ReactNode;
}

export function EmptyState({ title, level = 2, children, actions }: EmptyStateProps) {
  const Heading = `h${level}` as const;
  return (
    <div className={styles.empty}>
      <Heading>{title}</Heading>
      {children === undefined ? null : <div className={styles.text}>{children}</div>}
      {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
    </div>
  );
}

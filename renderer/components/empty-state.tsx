/** Nothing to show, why, and what to do about it. */
import type { ReactNode } from 'react';
import styles from './empty-state.module.css';

interface EmptyStateProps {
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}

export function EmptyState({ title, children, actions }: EmptyStateProps) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children === undefined ? null : <div className={styles.text}>{children}</div>}
      {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
    </div>
  );
}

/** A fact beside its name. */
import type { ReactNode } from 'react';
import styles from './test-report.module.css';

export function Fact({ term, children }: { term: ReactNode; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </div>
  );
}

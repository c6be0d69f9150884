/** A page with a headline, its subject in a sentence, and its sections below each other. */
import type { ReactNode } from 'react';
import styles from './page-body.module.css';

interface PageBodyProps {
  title: string;
  about: ReactNode;
  /** actions for the whole page */
  actions?: ReactNode;
  children: ReactNode;
}

export function PageBody({ title, about, actions, children }: PageBodyProps) {
  return (
    <div className={styles.page}>
      <div className={styles.top}>
        <div className={styles.words}>
          <h1>{title}</h1>
          <p className={styles.about}>{about}</p>
        </div>
        {actions === undefined ? null : <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </div>
  );
}

export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles.section}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A list of facts, each beside its name. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={styles.facts}>
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Lines of the same kind, with hairlines between them. On a narrow page the parts of a line stand below each other. */
import type { ReactNode } from 'react';
import styles from './rows.module.css';

export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className={styles.rows} aria-label={label}>
      {children}
    </ul>
  );
}

export function Row({ children }: { children: ReactNode }) {
  return <li className={styles.row}>{children}</li>;
}

interface TableProps {
  /** the subject of the table, for screen readers */
  caption: string;
  columns: readonly { title: string; align?: 'end' }[];
  /** `Table.Row`s: `<tr>` with as many cells as there are columns */
  children: ReactNode;
}

/** For figures that must align; scrolls by itself where it is wider than the page. */
export function Table({ caption, columns, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached with the keyboard
    <section className={styles.scroll} aria-label={caption} tabIndex={0}>
      <table className={styles.table}>
        <caption className="spoken">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, align }) => (
              <th key={title} scope="col" data-align={align}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

/** Everything but General, in groups that are folded until somebody opens them. */
import { useState } from 'react';
import { useWords } from '../../text/use-text.ts';
import { type FoldedSection, foldedSections, sectionOf } from './sections.ts';
import { SettingLine } from './setting-line.tsx';
import styles from './settings-page.module.css';
import type { Setting, SettingsStore } from './settings-store.ts';

interface FoldedGroupsProps {
  settings: readonly Setting[];
  store: SettingsStore;
}

export function FoldedGroups({ settings, store }: FoldedGroupsProps) {
  const { text } = useWords();
  return (
    <section className={styles.groups}>
      <h2>{text.settings.more}</h2>
      {foldedSections.map((section) => (
        <Group
          key={section}
          section={section}
          store={store}
          settings={settings.filter((setting) => sectionOf(setting) === section)}
        />
      ))}
    </section>
  );
}

function Group({ section, settings, store }: FoldedGroupsProps & { section: FoldedSection }) {
  const { text } = useWords();
  const [open, setOpen] = useState(false);
  if (settings.length === 0) return null;
  const title = text.settings.groups[section];
  return (
    <details
      className={styles.group}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        <svg className={styles.arrow} viewBox="0 0 12 12" aria-hidden="true">
          <path d="m4.5 3 3 3-3 3" />
        </svg>
        <span className={styles.groupWords}>
          <strong>{title}</strong>
          <span className={styles.quiet}>{text.settings.groupsAbout[section]}</span>
        </span>
      </summary>
      {open ? (
        <ul className={styles.list} aria-label={title}>
          {settings.map((setting) => (
            <SettingLine key={setting.key} setting={setting} store={store} />
          ))}
        </ul>
      ) : null}
    </details>
  );
}

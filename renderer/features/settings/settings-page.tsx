/** Settings: all declared ones, with the value in force, its source, and a control. */
import { useEffect, useMemo } from 'react';
import { settingGroups } from '../../../app/contract/settings/settings.ts';
import { Button } from '../../components/button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FailureWords, tellFailure } from '../../components/failure-words.tsx';
import { Input } from '../../components/field.tsx';
import { type Action, useActions } from '../../state/actions.ts';
import { showInstead, useRoute } from '../../state/route.ts';
import { useService } from '../../state/service.ts';
import { useStore } from '../../state/store.ts';
import { toast } from '../../state/toasts.ts';
import { wordsForSetting } from '../../text/declared-settings.ts';
import { useWords } from '../../text/use-text.ts';
import { findSettings } from './find-settings.ts';
import { SettingLine } from './setting-line.tsx';
import styles from './settings-page.module.css';
import { followSettings, type SettingsStore } from './settings-store.ts';
import { StartAtLogin } from './start-at-login.tsx';
import { ViewSettings } from './view-settings.tsx';

export function SettingsPage() {
  const { text, formats, language } = useWords();
  const { session } = useService();
  const store = useMemo(() => followSettings(session), [session]);
  useEffect(() => () => store.close(), [store]);
  const { settings, failure } = useStore(store);
  const typed = useRoute().query.get('search') ?? '';
  const found = useMemo(
    () => findSettings(settings ?? [], typed, language),
    [settings, typed, language],
  );
  useActions(useSettingsActions(store));
  const isSearched = typed.trim() !== '';
  return (
    <div className={styles.page}>
      <div className={styles.top}>
        <h1>{text.frame.pages.settings}</h1>
        <search className={styles.search}>
          <Input
            id="settings-search"
            type="search"
            aria-label={text.settings.search}
            placeholder={text.settings.search}
            value={typed}
            onChange={(event) => search(event.currentTarget.value)}
          />
          <output className={styles.found}>
            {isSearched ? text.settings.found(formats.count(found.length), found.length === 1) : ''}
          </output>
        </search>
      </div>
      {failure === null ? null : (
        <p role="alert">
          <FailureWords failure={failure} />
        </p>
      )}
      {isSearched ? null : <StartAtLogin />}
      {isSearched ? null : <ViewSettings />}
      {settings === null && failure === null ? <EmptyState title={text.frame.loading} /> : null}
      {settings !== null && found.length === 0 ? (
        <EmptyState
          title={text.settings.nothingFound}
          actions={<Button onClick={() => search('')}>{text.settings.showAll}</Button>}
        />
      ) : null}
      {settingGroups.map((group) => {
        const members = found.filter((setting) => setting.group === group);
        if (members.length === 0) return null;
        return (
          <section key={group}>
            <h2>{text.settings.groups[group]}</h2>
            <ul className={styles.list} aria-label={text.settings.groups[group]}>
              {members.map((setting) => (
                <SettingLine key={setting.key} setting={setting} store={store} />
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

function search(words: string): void {
  showInstead('settings', words === '' ? {} : { search: words });
}

function useSettingsActions(store: SettingsStore): readonly Action[] {
  const { text, language } = useWords();
  return useMemo(
    () => [
      {
        id: 'settings-search',
        label: text.settings.search,
        keys: '/',
        run: () => document.getElementById('settings-search')?.focus(),
      },
      {
        id: 'settings-undo',
        label: text.settings.undoLast,
        run: async () => {
          const undone = await store.undo();
          if (!undone.ok) return tellFailure(undone.failure);
          toast(
            'done',
            text.settings.undone(wordsForSetting(undone.value.setting, language).label),
          );
        },
      },
    ],
    [text, language, store],
  );
}

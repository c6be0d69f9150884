/** Settings: General is open, everything else is folded, and the search finds all of it. */
import { useEffect, useMemo } from 'react';
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
import { FoldedGroups } from './folded-groups.tsx';
import { General } from './general.tsx';
import { SettingLine } from './setting-line.tsx';
import styles from './settings-page.module.css';
import { followSettings, type SettingsStore } from './settings-store.ts';
import { useOtherWords } from './use-other-words.ts';
import { ViewSettings } from './view-settings.tsx';

export function SettingsPage() {
  const { text, formats, language } = useWords();
  const { session } = useService();
  const store = useMemo(() => followSettings(session), [session]);
  useEffect(() => () => store.close(), [store]);
  const { settings, failure } = useStore(store);
  const typed = useRoute().query.get('search') ?? '';
  const isSearched = typed.trim() !== '';
  const others = useOtherWords(isSearched);
  const found = useMemo(
    () => findSettings(settings ?? [], typed, language, others),
    [settings, typed, language, others],
  );
  useActions(useSettingsActions(store));
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
      {settings === null && failure === null ? <EmptyState title={text.frame.loading} /> : null}
      {settings === null && !isSearched ? <ViewSettings /> : null}
      {settings === null ? null : isSearched ? (
        <Found settings={found} store={store} />
      ) : (
        <>
          <General settings={settings} store={store} />
          <FoldedGroups settings={settings} store={store} />
        </>
      )}
    </div>
  );
}

function Found({
  settings,
  store,
}: {
  settings: ReturnType<typeof findSettings>;
  store: SettingsStore;
}) {
  const { text } = useWords();
  if (settings.length === 0)
    return (
      <EmptyState
        title={text.settings.nothingFound}
        actions={<Button onClick={() => search('')}>{text.settings.showAll}</Button>}
      >
        {text.settings.nothingFoundWhy}
      </EmptyState>
    );
  return (
    <section>
      <h2 className="spoken">{text.settings.results}</h2>
      <ul className={styles.list} aria-label={text.settings.results}>
        {settings.map((setting) => (
          <SettingLine key={setting.key} setting={setting} store={store} />
        ))}
      </ul>
    </section>
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

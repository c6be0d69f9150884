/** What most people look for: protection, start, this page, and what is kept of queries. */
import { useState } from 'react';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { useLive, useService } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import { useWords } from '../../text/use-text.ts';
import { type Section, sectionOf } from './sections.ts';
import { SettingLine } from './setting-line.tsx';
import styles from './settings-page.module.css';
import type { Setting, SettingsStore } from './settings-store.ts';
import { TraySwitches } from './tray-switches.tsx';
import { ViewSettings } from './view-settings.tsx';

interface GeneralProps {
  settings: readonly Setting[];
  store: SettingsStore;
}

export function General({ settings, store }: GeneralProps) {
  const { text } = useWords();
  return (
    <section className={styles.general} aria-labelledby="settings-general">
      <h2 id="settings-general">{text.settings.general}</h2>
      <Lines of="protect" label={text.settings.general} settings={settings} store={store} />
      <TraySwitches />
      <ViewSettings />
      <div className={styles.part}>
        <h3>{text.settings.keptQueries}</h3>
        <Lines of="queries" label={text.settings.keptQueries} settings={settings} store={store} />
        <EraseQueries />
      </div>
    </section>
  );
}

function Lines(props: GeneralProps & { of: Section; label: string }) {
  const { of, label, settings, store } = props;
  return (
    <ul className={styles.list} aria-label={label}>
      {settings
        .filter((setting) => sectionOf(setting) === of)
        .map((setting) => (
          <SettingLine key={setting.key} setting={setting} store={store} />
        ))}
    </ul>
  );
}

function EraseQueries() {
  const { text } = useWords();
  const { session } = useService();
  const live = useLive();
  const [asked, ask] = useState(false);

  async function erase(): Promise<void> {
    const erased = await session.call('log.clear', {});
    ask(false);
    if (erased.ok) toast('done', text.queryLog.clear.done);
    else tellFailure(erased.failure);
  }

  return (
    <div className={styles.erase}>
      <Button variant="danger" disabled={!live} onClick={() => ask(true)}>
        {text.queryLog.clear.title}
      </Button>
      {asked ? (
        <Dialog
          title={text.queryLog.clear.title}
          onClose={() => ask(false)}
          actions={
            <Button variant="danger" onClick={() => void erase()}>
              {text.queryLog.clear.yes}
            </Button>
          }
        >
          <p>{text.queryLog.clear.meaning}</p>
        </Dialog>
      ) : null}
    </div>
  );
}

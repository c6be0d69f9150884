/** One setting: its purpose, who set the value in force, and actions. */
import { useId, useState } from 'react';
import type { Failure, Result } from '../../../app/contract/errors.ts';
import type { SettingChange } from '../../../app/contract/settings/settings-methods.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { tellFailure } from '../../components/failure-words.tsx';
import { linkTo } from '../../state/route.ts';
import { useLive } from '../../state/service.ts';
import { toast } from '../../state/toasts.ts';
import type { PageName } from '../../text/catalogue.ts';
import { wordsForSetting } from '../../text/declared-settings.ts';
import { Rich } from '../../text/rich.tsx';
import { useWords } from '../../text/use-text.ts';
import { controlFor, type SettingJson } from './setting-control.ts';
import { SettingEditor } from './setting-editor.tsx';
import styles from './setting-line.module.css';
import { DefaultOf, SourceOf } from './setting-source.tsx';
import type { Setting, SettingsStore } from './settings-store.ts';

/** Lists that are edited on a page of their own; without such a page they are edited here. */
const ownPages: Readonly<Record<string, PageName>> = {
  upstreams: 'providers',
  bypass: 'exceptions',
};

export function SettingLine({ setting, store }: { setting: Setting; store: SettingsStore }) {
  const { text, language } = useWords();
  const live = useLive();
  const id = useId();
  const [problem, setProblem] = useState<Failure | null>(null);
  const words = wordsForSetting(setting, language);
  const control = controlFor(setting.schema);
  const page = ownPages[setting.key];
  const disabled = setting.locked || !live;

  async function change(ask: Promise<Result<SettingChange>>): Promise<boolean> {
    setProblem(null);
    const done = await ask;
    if (!done.ok) setProblem(done.failure);
    else toast('done', <Changed label={safe(words.label)} store={store} />);
    return done.ok;
  }

  return (
    <li className={styles.line} id={`setting-${setting.key}`}>
      <div className={styles.words} lang={words.language}>
        <h3 id={`${id}-label`}>{safe(words.label)}</h3>
        <p className={styles.help} id={`${id}-help`}>
          {safe(words.help)}
        </p>
      </div>
      <div className={styles.control}>
        {page !== undefined ? (
          <OwnPage page={page} value={setting.value} />
        ) : (
          <SettingEditor
            id={id}
            control={control}
            value={setting.value}
            words={words}
            disabled={disabled}
            problem={problem}
            onSet={(value) => change(store.set(setting.key, value))}
          />
        )}
      </div>
      <div className={styles.foot}>
        <SourceOf setting={setting} />
        <DefaultOf setting={setting} unit={words.unit} />
        <code>{setting.key}</code>
        {setting.source.layer === 'user' && !setting.locked ? (
          <Button
            variant="quiet"
            className={styles.reset}
            disabled={disabled}
            aria-label={text.settings.resetOf(safe(words.label))}
            onClick={() => void change(store.reset(setting.key))}
          >
            {text.settings.reset}
          </Button>
        ) : null}
      </div>
    </li>
  );
}

function OwnPage({ page, value }: { page: PageName; value: SettingJson }) {
  const { text, formats } = useWords();
  const size = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
  return (
    <p>
      {text.settings.entries(formats.count(size), size === 1)}
      <br />
      <Rich of={text.settings.ownPage} page={<a href={linkTo(page)}>{text.frame.pages[page]}</a>} />
    </p>
  );
}

/** The last change, with a button to undo it. */
function Changed({ label, store }: { label: string; store: SettingsStore }) {
  const { text } = useWords();
  async function undo(): Promise<void> {
    const undone = await store.undo();
    if (undone.ok) toast('done', text.settings.undone(label));
    else tellFailure(undone.failure);
  }
  return (
    <span className={styles.changed}>
      {text.settings.saved(label)}
      <Button onClick={() => void undo()}>{text.settings.undo}</Button>
    </span>
  );
}

/** All that there is to say about a setting, with its name in the file; folded. */
import { useState } from 'react';
import { safe } from '../../../app/contract/text/visible-text.ts';
import type { SettingWords } from '../../text/declared-settings.ts';
import { useWords } from '../../text/use-text.ts';
import { EditAsText } from './edit-as-text.tsx';
import type { SettingControl, SettingJson } from './setting-control.ts';
import styles from './setting-line.module.css';
import type { Setting } from './settings-store.ts';

interface SettingDetailsProps {
  setting: Setting;
  words: SettingWords;
  control: SettingControl;
  /** a form of several fields, which text may be quicker for */
  hasForm: boolean;
  disabled: boolean;
  onSet(value: SettingJson): Promise<boolean>;
}

export function SettingDetails(props: SettingDetailsProps) {
  const { setting, words, control, hasForm, disabled, onSet } = props;
  const { text } = useWords();
  const [open, setOpen] = useState(false);
  return (
    <details
      className={styles.details}
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary aria-label={text.settings.detailsOf(safe(words.label))}>
        {text.settings.details}
      </summary>
      {open ? (
        <div className={styles.inside}>
          {words.about === null ? null : <p lang={words.language}>{safe(words.help)}</p>}
          <p>
            {text.settings.inFile} <code>{setting.key}</code>
          </p>
          {hasForm || control.is === 'json' ? (
            <EditAsText
              label={safe(words.label)}
              value={setting.value}
              disabled={disabled}
              onSet={onSet}
            />
          ) : null}
        </div>
      ) : null}
    </details>
  );
}

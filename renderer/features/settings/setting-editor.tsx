/** The control of one setting. A switch or a choice takes effect at once; what is typed or put together does when it is saved. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Select } from '../../components/field.tsx';
import { Switch } from '../../components/switch.tsx';
import type { SettingWords } from '../../text/declared-settings.ts';
import { useWords } from '../../text/use-text.ts';
import type { SettingControl, SettingJson } from './setting-control.ts';
import styles from './setting-form.module.css';
import { wordFor } from './setting-words.ts';
import { readChoice } from './typed-value.ts';
import { ValueEditor } from './value-editor.tsx';

interface SettingEditorProps {
  /** label and sentence stand elsewhere, under this id with "-label" and "-about"; a problem under "-problem" */
  id: string;
  name: string;
  control: SettingControl;
  value: SettingJson;
  words: SettingWords;
  disabled: boolean;
  isWrong: boolean;
  /** resolves to whether it is in force now */
  onSet(value: SettingJson): Promise<boolean>;
}

export function SettingEditor(props: SettingEditorProps) {
  const { id, name, control, value, words, disabled, isWrong, onSet } = props;
  const spoken = useWords();
  const attributes = {
    'aria-labelledby': `${id}-label`,
    'aria-describedby': `${id}-about${isWrong ? ` ${id}-problem` : ''}`,
    'aria-invalid': isWrong,
    disabled,
  };
  if (control.is === 'switch')
    return (
      <Switch
        label={safe(words.label)}
        showLabel={false}
        on={value === true}
        disabled={disabled}
        onChange={(on) => void onSet(on)}
      />
    );
  if (control.is === 'choice')
    return (
      <Select
        {...attributes}
        value={String(value)}
        options={control.options.map((word) => [word, wordFor(name, word, spoken)] as const)}
        onChoose={(word) => void onSet(readChoice(word))}
      />
    );
  return <DraftEditor {...props} attributes={attributes} />;
}

type DraftEditorProps = SettingEditorProps & { attributes: Record<string, string | boolean> };

function DraftEditor(props: DraftEditorProps) {
  const { name, control, value, words, disabled, attributes, onSet } = props;
  const { text } = useWords();
  const form = useRef<HTMLFormElement>(null);
  const [draft, setDraft] = useState(value);
  const inForce = JSON.stringify(value);
  // A value that came into force meanwhile replaces the draft; the focus stays.
  useEffect(() => setDraft(JSON.parse(inForce) as SettingJson), [inForce]);
  const changed = JSON.stringify(draft) !== inForce;

  async function save(): Promise<void> {
    const wasHere = form.current?.contains(document.activeElement) === true;
    const isTyped = document.activeElement?.matches('input, textarea') === true;
    if ((await onSet(draft)) && wasHere && !isTyped)
      form.current?.querySelector<HTMLElement>('input, textarea, select, button')?.focus();
  }

  function onKeyDown(event: KeyboardEvent): void {
    const isSimple = control.is === 'number' || control.is === 'lines';
    if (event.key === 'Escape' && isSimple) setDraft(value);
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && changed) void save();
  }

  return (
    <form
      ref={form}
      className={styles.typed}
      noValidate
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <ValueEditor
        name={name}
        control={control}
        value={draft}
        unit={words.unit}
        disabled={disabled}
        attributes={attributes}
        onChange={setDraft}
      />
      {changed ? (
        <div className={styles.buttons}>
          <Button type="submit" variant="main" disabled={disabled}>
            {text.settings.save}
          </Button>
          <Button onClick={() => setDraft(value)}>{text.settings.discard}</Button>
        </div>
      ) : null}
    </form>
  );
}

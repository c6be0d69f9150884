/** The control of one setting. A choice takes effect at once; typed text does when it is saved. */
import { useEffect, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Input, Select, TextArea } from '../../components/field.tsx';
import { Switch } from '../../components/switch.tsx';
import type { SettingWords } from '../../text/declared-settings.ts';
import { wordsForFailure } from '../../text/said.ts';
import { useWords, type Words } from '../../text/use-text.ts';
import { readValue, type SettingControl, type SettingJson, writeValue } from './setting-control.ts';
import styles from './setting-line.module.css';

interface SettingEditorProps {
  /** label and help stand elsewhere, under this id with "-label" and "-help" */
  id: string;
  control: SettingControl;
  value: SettingJson;
  words: SettingWords;
  disabled: boolean;
  problem: Failure | null;
  /** resolves to whether it is in force now */
  onSet(value: SettingJson): Promise<boolean>;
}

export function SettingEditor(props: SettingEditorProps) {
  const { id, control, value, words, disabled, problem, onSet } = props;
  const wrong = problem === null ? null : <Problem id={`${id}-problem`} failure={problem} />;
  const attributes = {
    'aria-labelledby': `${id}-label`,
    'aria-describedby': `${id}-help${problem === null ? '' : ` ${id}-problem`}`,
    'aria-invalid': problem !== null,
    disabled,
  };
  if (control.is === 'switch')
    return (
      <>
        <Switch
          label={safe(words.label)}
          showLabel={false}
          on={value === true}
          disabled={disabled}
          onChange={(on) => void onSet(on)}
        />
        {wrong}
      </>
    );
  if (control.is === 'choice')
    return (
      <>
        <Select
          {...attributes}
          value={String(value)}
          options={control.options.map((word) => [word, safe(word)] as const)}
          onChoose={(word) => void onSet(word)}
        />
        {wrong}
      </>
    );
  return <TypedEditor {...props} control={control} attributes={attributes} wrong={wrong} />;
}

interface TypedEditorProps extends SettingEditorProps {
  control: Exclude<SettingControl, { is: 'switch' | 'choice' }>;
  attributes: Record<`aria-${string}`, string | boolean> & { disabled: boolean };
  wrong: React.ReactNode;
}

function TypedEditor({
  control,
  value,
  words,
  disabled,
  attributes,
  wrong,
  onSet,
}: TypedEditorProps) {
  const { text, formats } = useWords();
  const before = writeValue(control, value);
  const [typed, type] = useState(before);
  // A value that came into force meanwhile replaces the typed text; the focus stays.
  useEffect(() => type(before), [before]);
  const changed = typed !== before;

  function onKeyDown(event: React.KeyboardEvent): void {
    if (event.key === 'Escape') type(before);
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
      void onSet(readValue(control, typed));
  }

  return (
    <form
      className={styles.typed}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void onSet(readValue(control, typed));
      }}
    >
      {control.is === 'number' ? (
        <span className={styles.number}>
          <Input
            {...attributes}
            type="number"
            min={control.least ?? undefined}
            max={control.most ?? undefined}
            value={typed}
            onKeyDown={onKeyDown}
            onChange={(event) => type(event.currentTarget.value)}
          />
          {words.unit === null ? null : <span lang={words.language}>{safe(words.unit)}</span>}
        </span>
      ) : (
        <TextArea
          {...attributes}
          rows={Math.min(12, typed.split('\n').length + 1)}
          value={typed}
          onKeyDown={onKeyDown}
          onChange={(event) => type(event.currentTarget.value)}
        />
      )}
      <p className={styles.quiet}>{hintFor(control, text, formats)}</p>
      {wrong}
      {changed ? (
        <div className={styles.buttons}>
          <Button type="submit" variant="main" disabled={disabled}>
            {text.settings.save}
          </Button>
          <Button onClick={() => type(before)}>{text.settings.discard}</Button>
        </div>
      ) : null}
    </form>
  );
}

function hintFor(
  control: TypedEditorProps['control'],
  text: Words['text'],
  formats: Words['formats'],
): string {
  switch (control.is) {
    case 'number': {
      const { least, most } = control;
      if (least === null || most === null) return '';
      return text.settings.number(formats.count(least), formats.count(most));
    }
    case 'lines':
      return control.options.length === 0
        ? text.settings.lines
        : text.settings.linesOf(control.options.map(safe).join(', '));
    case 'json':
      return text.settings.json;
  }
}

/** Says in the reader's language that the service refused the value, and why in the service's text: it alone judges values. */
function Problem({ id, failure }: { id: string; failure: Failure }) {
  const refused = wordsForFailure(failure, useWords().language);
  return (
    <p id={id} className={styles.problem} role="alert">
      {refused === null ? null : `${refused} `}
      <span lang="en">{safe(failure.message)}</span>
    </p>
  );
}

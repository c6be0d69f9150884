/** Numbers and lists of texts, as they are typed. */
import { useEffect, useId, useState } from 'react';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Input, Select, TextArea } from '../../components/field.tsx';
import { useWords } from '../../text/use-text.ts';
import type { ValueEditorProps } from './editor-props.ts';
import type { ControlKind, SettingJson } from './setting-control.ts';
import styles from './setting-form.module.css';
import { wordFor } from './setting-words.ts';
import { readLines, readNumber, writeLines } from './typed-value.ts';

export function NumberEditor(props: ValueEditorProps<ControlKind<'number'>>) {
  const { control, value, unit, disabled, attributes, onChange } = props;
  const { text, formats, language } = useWords();
  const [typed, type] = useTyped(value, String, readNumber);
  const { least, most } = control;
  const hint = useId();
  return (
    <>
      <span className={styles.number}>
        <Input
          {...attributes}
          aria-describedby={`${attributes['aria-describedby'] ?? ''} ${hint}`}
          type="number"
          disabled={disabled}
          min={least ?? undefined}
          max={most ?? undefined}
          value={typed}
          onChange={(event) => {
            type(event.currentTarget.value);
            onChange(readNumber(event.currentTarget.value));
          }}
        />
        {unit == null ? null : <span lang={language}>{safe(unit)}</span>}
      </span>
      {least === null || most === null ? null : (
        <p id={hint} className={styles.quiet}>
          {text.settings.number(formats.count(least), formats.count(most))}
        </p>
      )}
    </>
  );
}

export function LinesEditor(props: ValueEditorProps<ControlKind<'lines'>>) {
  const { name, control, value, disabled, attributes, onChange } = props;
  const { text } = useWords();
  const read = (typed: string) => readLines(control, typed);
  const [typed, type] = useTyped(value, writeLines, read);
  return (
    <>
      <TextArea
        {...attributes}
        disabled={disabled}
        rows={Math.min(12, typed.split('\n').length + 1)}
        value={typed}
        onChange={(event) => {
          type(event.currentTarget.value);
          onChange(read(event.currentTarget.value));
        }}
      />
      {name in text.settingForms.fields ? null : (
        <p className={styles.quiet}>{text.settings.lines}</p>
      )}
    </>
  );
}

/** A word that stands for the whole list, or a list. */
export function KeywordEditor(props: ValueEditorProps<ControlKind<'lines'>> & { keyword: string }) {
  const { name, keyword, value, disabled, attributes, onChange } = props;
  const spoken = useWords();
  const { text } = spoken;
  const isList = Array.isArray(value);
  return (
    <>
      <Select
        {...attributes}
        disabled={disabled}
        value={isList ? 'list' : 'keyword'}
        options={[
          ['keyword', wordFor(name, keyword, spoken)],
          ['list', text.settingForms.ownList],
        ]}
        onChoose={(chosen) => onChange(chosen === 'list' ? [] : keyword)}
      />
      {isList ? <LinesEditor {...props} /> : null}
    </>
  );
}

/** The typed text of a field. It follows the value only where the value is another than the one that was typed. */
function useTyped(
  value: SettingJson,
  write: (value: SettingJson) => string,
  read: (typed: string) => SettingJson,
): readonly [string, (typed: string) => void] {
  const [typed, type] = useState(write(value));
  const now = JSON.stringify(value);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is typed must not be replaced while the value is the same
  useEffect(() => {
    if (JSON.stringify(read(typed)) !== now) type(write(value));
  }, [now]);
  return [typed, type];
}

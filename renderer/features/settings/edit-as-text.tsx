/** The last resort: the value as it stands in the file, for what a form makes tedious. */
import { useEffect, useId, useState } from 'react';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Field, TextArea } from '../../components/field.tsx';
import { useWords } from '../../text/use-text.ts';
import type { SettingJson } from './setting-control.ts';
import styles from './setting-form.module.css';
import { readText } from './typed-value.ts';

interface EditAsTextProps {
  label: string;
  value: SettingJson;
  disabled: boolean;
  onSet(value: SettingJson): Promise<boolean>;
}

export function EditAsText({ label, value, disabled, onSet }: EditAsTextProps) {
  const { text, formats } = useWords();
  const id = useId();
  const before = JSON.stringify(value, null, 2);
  const [typed, type] = useState(before);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => type(before), [before]);

  function save(): void {
    const read = readText(typed);
    setProblem(null);
    if (read.ok) return void onSet(read.value);
    if (read.twice) {
      setProblem(text.settingForms.textTwice);
      return;
    }
    const line = formats.count(read.line);
    setProblem(
      read.near === ''
        ? text.settingForms.textWrong(line)
        : text.settingForms.textWrongNear(line, safe(read.near)),
    );
  }

  return (
    <form
      className={styles.typed}
      aria-labelledby={id}
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <span id={id} className="spoken">
        {label}
      </span>
      <Field label={text.settingForms.asText} hint={text.settingForms.asTextHint} problem={problem}>
        {(attributes) => (
          <TextArea
            {...attributes}
            disabled={disabled}
            rows={Math.min(16, typed.split('\n').length + 1)}
            value={typed}
            onChange={(event) => type(event.currentTarget.value)}
          />
        )}
      </Field>
      {typed === before ? null : (
        <div className={styles.buttons}>
          <Button type="submit" variant="main" disabled={disabled}>
            {text.settings.save}
          </Button>
          <Button
            onClick={() => {
              type(before);
              setProblem(null);
            }}
          >
            {text.settings.discard}
          </Button>
        </div>
      )}
    </form>
  );
}

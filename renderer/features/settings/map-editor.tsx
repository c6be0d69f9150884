/** Entries under names: a name is given when an entry is added, and stays, because other settings mean the entry by it. */
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { groupNamePattern } from '../../../app/contract/settings/downgrade-policy.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Field, Input } from '../../components/field.tsx';
import { useWords } from '../../text/use-text.ts';
import type { OuterEditorProps } from './editor-props.ts';
import { type ControlKind, emptyValue, type SettingJson } from './setting-control.ts';
import styles from './setting-form.module.css';
import { itemWords } from './setting-words.ts';

interface MapEditorProps extends OuterEditorProps<ControlKind<'map'>> {
  /** drawn first in the entry of this name */
  besides?(key: string): ReactNode;
}

export function MapEditor(props: MapEditorProps) {
  const { name, control, value, disabled, attributes, onChange, Inner, besides } = props;
  const { text } = useWords();
  const words = itemWords(name, { text });
  const entries = entriesOf(value);
  const { 'aria-invalid': _, ...ties } = attributes;
  return (
    <fieldset className={styles.items} {...ties}>
      {entries.length === 0 ? <p className={styles.quiet}>{words.none}</p> : null}
      {entries.map(([key, entry]) => {
        const title = text.settingForms.numbered(words.one, safe(key));
        return (
          <fieldset key={key} className={styles.item} aria-label={title}>
            <div className={styles.itemTop}>
              <strong>{title}</strong>
              <Button
                variant="quiet"
                disabled={disabled}
                aria-label={text.settingForms.remove(title)}
                onClick={() =>
                  onChange(Object.fromEntries(entries.filter(([other]) => other !== key)))
                }
              >
                {text.settingForms.removeShort}
              </Button>
            </div>
            {besides?.(key)}
            <Inner
              name={name}
              control={control.item}
              value={entry}
              disabled={disabled}
              attributes={{ 'aria-label': title }}
              onChange={(next) =>
                onChange(
                  Object.fromEntries(
                    entries.map(([other, old]) => [other, other === key ? next : old]),
                  ),
                )
              }
            />
          </fieldset>
        );
      })}
      <NewName
        taken={entries.map(([key]) => key)}
        add={words.add}
        disabled={disabled}
        onAdd={(key) => onChange(Object.fromEntries([...entries, [key, emptyValue(control.item)]]))}
      />
    </fieldset>
  );
}

interface NewNameProps {
  taken: readonly string[];
  add: string;
  disabled: boolean;
  onAdd(name: string): void;
}

function NewName({ taken, add, disabled, onAdd }: NewNameProps) {
  const { text } = useWords();
  const words = text.settingForms;
  const [typed, type] = useState('');
  const [problem, setProblem] = useState<string | null>(null);

  function tryToAdd(): void {
    const wrong = wrongWith(typed);
    setProblem(wrong);
    if (wrong !== null) return;
    type('');
    onAdd(typed);
  }

  function wrongWith(name: string): string | null {
    if (!groupNamePattern.test(name)) return words.nameWrong;
    return taken.includes(name) ? words.nameTaken : null;
  }

  /** Enter adds the entry; it doesn't save the setting. */
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    tryToAdd();
  }

  return (
    <div className={styles.newName}>
      <Field label={words.newName} hint={words.newNameHint} problem={problem}>
        {(attributes) => (
          <Input
            {...attributes}
            disabled={disabled}
            value={typed}
            onKeyDown={onKeyDown}
            onChange={(event) => type(event.currentTarget.value)}
          />
        )}
      </Field>
      <Button className={styles.add} disabled={disabled} onClick={tryToAdd}>
        {add}
      </Button>
    </div>
  );
}

function entriesOf(value: SettingJson): [string, SettingJson][] {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
    : [];
}

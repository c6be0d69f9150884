/** A list of forms, with a button that adds one. */
import { useRef } from 'react';
import { Button } from '../../components/button.tsx';
import { useWords } from '../../text/use-text.ts';
import type { OuterEditorProps } from './editor-props.ts';
import { type ControlKind, emptyValue, type SettingJson } from './setting-control.ts';
import styles from './setting-form.module.css';
import { itemWords } from './setting-words.ts';

export function ListEditor(props: OuterEditorProps<ControlKind<'list'>>) {
  const { name, control, value, disabled, attributes, onChange, Inner } = props;
  const { text, formats } = useWords();
  const words = itemWords(name, { text });
  const items: readonly SettingJson[] = Array.isArray(value) ? value : [];
  const keys = useKeys(items.length);
  const { 'aria-invalid': _, ...ties } = attributes;
  return (
    <fieldset className={styles.items} {...ties}>
      {items.length === 0 ? <p className={styles.quiet}>{words.none}</p> : null}
      {items.map((item, at) => {
        const title = text.settingForms.numbered(words.one, formats.count(at + 1));
        return (
          <fieldset key={keys.all[at]} className={styles.item} aria-label={title}>
            <div className={styles.itemTop}>
              <strong>{title}</strong>
              <Button
                variant="quiet"
                disabled={disabled}
                aria-label={text.settingForms.remove(title)}
                onClick={() => {
                  keys.remove(at);
                  onChange(items.filter((_, place) => place !== at));
                }}
              >
                {text.settingForms.removeShort}
              </Button>
            </div>
            <Inner
              name={name}
              control={control.item}
              value={item}
              disabled={disabled}
              attributes={{ 'aria-label': title }}
              onChange={(next) => onChange(items.map((one, place) => (place === at ? next : one)))}
            />
          </fieldset>
        );
      })}
      <Button
        className={styles.add}
        disabled={disabled}
        onClick={() => onChange([...items, emptyValue(control.item)])}
      >
        {words.add}
      </Button>
    </fieldset>
  );
}

/** What tells the items apart for as long as they are edited: they have no names. */
function useKeys(length: number): { all: readonly number[]; remove(at: number): void } {
  const keys = useRef<{ all: number[]; next: number }>({ all: [], next: 0 });
  const known = keys.current;
  while (known.all.length < length) {
    known.all.push(known.next);
    known.next += 1;
  }
  known.all.length = length;
  return { all: known.all, remove: (at) => void known.all.splice(at, 1) };
}

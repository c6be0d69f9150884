/** Some of a few words. A row stays where it is when it is chosen; where the order counts, a button moves it up. */
import { useEffect, useState } from 'react';
import { Button } from '../../components/button.tsx';
import { useWords } from '../../text/use-text.ts';
import type { ValueEditorProps } from './editor-props.ts';
import type { ControlKind, SettingJson } from './setting-control.ts';
import styles from './setting-form.module.css';
import { wordFor } from './setting-words.ts';

/** Fields whose words have an order of their own. */
const inOrder = new Set(['days']);

export function WordsEditor(props: ValueEditorProps<ControlKind<'words'>>) {
  const { name, control, value, disabled, attributes, onChange } = props;
  const spoken = useWords();
  const { text } = spoken;
  const chosen = Array.isArray(value) ? value.map(String) : [];
  const canMove = !inOrder.has(name);
  const [rows, setRows] = useState(() => arrange(chosen, control.options, canMove));
  const now = chosen.join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows move only for a value from elsewhere
  useEffect(() => {
    if (rows.filter((word) => chosen.includes(word)).join() !== now)
      setRows(arrange(chosen, control.options, canMove));
  }, [now]);

  function choose(next: readonly string[], order: readonly string[]): void {
    setRows([...order]);
    onChange(order.filter((word) => next.includes(word)) as SettingJson);
  }

  function moveUp(word: string): void {
    const at = rows.indexOf(word);
    const order = [...rows.slice(0, at - 1), word, rows[at - 1] ?? word, ...rows.slice(at + 1)];
    choose(chosen, order);
  }

  const { 'aria-invalid': _, ...ties } = attributes;
  return (
    <fieldset className={canMove ? styles.words : styles.wordsInLine} disabled={disabled} {...ties}>
      {rows.map((word, at) => {
        const said = wordFor(name, word, spoken);
        return (
          <div key={word} className={styles.word}>
            <label className={styles.check}>
              <input
                type="checkbox"
                checked={chosen.includes(word)}
                onChange={({ currentTarget: { checked } }) =>
                  choose(
                    checked ? [...chosen, word] : chosen.filter((other) => other !== word),
                    rows,
                  )
                }
              />
              <span>{said}</span>
            </label>
            {canMove && at > 0 && chosen.includes(word) ? (
              <Button
                variant="quiet"
                className={styles.up}
                aria-label={text.settingForms.earlier(said)}
                onClick={() => moveUp(word)}
              >
                <svg viewBox="0 0 12 12" aria-hidden="true">
                  <path d="M6 10V2M2.5 5.5 6 2l3.5 3.5" />
                </svg>
              </Button>
            ) : null}
          </div>
        );
      })}
    </fieldset>
  );
}

function arrange(
  chosen: readonly string[],
  options: readonly string[],
  canMove: boolean,
): readonly string[] {
  if (!canMove) return options;
  return [...chosen, ...options.filter((word) => !chosen.includes(word))];
}

/** The field in which a filter is typed, with what can come next: arrow keys choose, Enter and Tab take. */
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { useService } from '../../state/service.ts';
import { useWords } from '../../text/use-text.ts';
import { type Completion, completeFilter, type Occurring } from './complete-filter.ts';
import styles from './filter-field.module.css';

interface FilterFieldProps {
  typed: string;
  isWrong: boolean;
  onType(text: string): void;
}

const listId = 'query-log-filter-next';
const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
const taking: readonly string[] = ['Enter', 'Tab'];
/** Enter and Tab do what they do in any field, until somebody has chosen. */
const nothing = -1;

export function FilterField({ typed, isWrong, onType }: FilterFieldProps) {
  const { text } = useWords();
  const field = useRef<HTMLInputElement>(null);
  const [occurring, learn] = useOccurring();
  /** where the caret stands while somebody types; null: nothing is offered */
  const [caret, setCaret] = useState<number | null>(null);
  const [chosen, setChosen] = useState(nothing);
  const offered = caret === null ? [] : completeFilter(typed, caret, occurring);
  const at = Math.min(chosen, offered.length - 1);

  function write(wanted: string, at: number | null): void {
    if (wanted[(at ?? 0) - 1] === ':') learn();
    setCaret(at);
    setChosen(nothing);
    onType(wanted);
  }

  function take(one: Completion): void {
    // the next key finds the caret at its place
    flushSync(() => write(one.text, one.caret));
    field.current?.setSelectionRange(one.caret, one.caret);
  }

  /** False: the key means what it means in any field. */
  function onKey(key: string): boolean {
    const step = steps[key];
    const one = offered[at];
    if (step !== undefined && offered.length > 0) setChosen(next(at, step, offered.length));
    else if (taking.includes(key) && one !== undefined) take(one);
    else return false;
    return true;
  }

  function onKeyDown(event: React.KeyboardEvent<HTMLInputElement>): void {
    if (event.key === 'Escape') {
      if (offered.length === 0) event.currentTarget.blur();
      setCaret(null);
    } else if (onKey(event.key)) event.preventDefault();
  }

  return (
    <div className={styles.around}>
      <input
        ref={field}
        id="query-log-filter"
        className={styles.input}
        type="text"
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        aria-label={text.queryLog.filter.label}
        aria-describedby="query-log-filter-problem"
        aria-invalid={isWrong}
        aria-autocomplete="list"
        aria-expanded={offered.length > 0}
        aria-controls={listId}
        aria-activedescendant={at === nothing ? undefined : `${listId}-${at}`}
        placeholder={text.queryLog.filter.placeholder}
        value={typed}
        onBlur={() => setCaret(null)}
        onChange={({ currentTarget: { value, selectionStart } }) => write(value, selectionStart)}
        onKeyDown={onKeyDown}
      />
      <div
        id={listId}
        role="listbox"
        aria-label={text.queryLog.filter.next}
        className={styles.offered}
        hidden={offered.length === 0}
      >
        {offered.map((one, index) => (
          <div
            key={one.text}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className={styles.one}
            // before the field loses the focus
            onPointerDown={(event) => {
              event.preventDefault();
              take(one);
            }}
          >
            <code>{safe(one.shown)}</code>
          </div>
        ))}
      </div>
    </div>
  );
}

/** Round and round. */
function next(at: number, step: number, count: number): number {
  return at === nothing && step < 0 ? count - 1 : (at + step + count) % count;
}

/** What occurs by now is asked for with each field that somebody has named. */
function useOccurring() {
  const { session } = useService();
  const [occurring, setOccurring] = useState<Occurring | null>(null);
  const learn = () => {
    void session.call('log.suggest', {}).then((found) => {
      if (found.ok) setOccurring(found.value);
    });
  };
  return [occurring, learn] as const;
}

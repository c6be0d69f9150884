/** The filter as text and as chips: two views of one list. */
import { useEffect, useRef, useState } from 'react';
import { fillIn } from '../../../app/contract/query-log/filter-problems.ts';
import { type FilterProblem, writeTerm } from '../../../app/contract/query-log/log-filter.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import { Button } from '../../components/button.tsx';
import { Chip } from '../../components/chip.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useLatest } from '../../state/use-latest.ts';
import { germanFor } from '../../text/loaded.ts';
import { useWords } from '../../text/use-text.ts';
import styles from './filter-bar.module.css';
import { FilterField } from './filter-field.tsx';
import { type FilterState, withoutTerm } from './filter-state.ts';

interface FilterBarProps {
  filter: FilterState;
  onChange(text: string): void;
}

export function FilterBar({ filter, onChange }: FilterBarProps) {
  const { text } = useWords();
  const [typed, type] = useTyped(filter.text, onChange);
  const [helped, setHelped] = useState(false);
  const { problem } = filter;
  return (
    <search className={styles.bar}>
      <div className={styles.line}>
        <FilterField typed={typed} isWrong={problem !== null} onType={type} />
        <Button variant="quiet" onClick={() => setHelped(true)}>
          {text.queryLog.filter.help}
        </Button>
      </div>
      <p id="query-log-filter-problem" className={styles.problem} aria-live="polite">
        {problem === null ? null : <Problem of={problem} />}
      </p>
      {filter.terms.length === 0 ? null : (
        <ul className={styles.chips} aria-label={text.queryLog.filter.chips}>
          {filter.terms.map((term) => {
            const written = safe(writeTerm(term));
            return (
              <li key={`${term.from}`}>
                <Chip what={written} onRemove={() => onChange(withoutTerm(filter, term))}>
                  <code>{written}</code>
                </Chip>
              </li>
            );
          })}
        </ul>
      )}
      {helped ? <FilterHelp onClose={() => setHelped(false)} /> : null}
    </search>
  );
}

function Problem({ of: { code, about, message, remedy } }: { of: FilterProblem }) {
  const { language } = useWords();
  const german = germanFor(language)?.filterProblems[code];
  return german === undefined
    ? `${safe(message)} – ${safe(remedy)}`
    : german.map((said) => safe(fillIn(said, about))).join(' – ');
}

/** The pause between two keys of a person who types. */
const pauseMs = 150;

/** Typed text takes effect after a pause; links and removed chips change it as well. */
function useTyped(text: string, onChange: (text: string) => void) {
  const [typed, setTyped] = useState(text);
  const told = useRef(text);
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const tell = useLatest(onChange);
  useEffect(() => () => clearTimeout(pause.current), []);
  useEffect(() => {
    if (text === told.current) return;
    told.current = text;
    setTyped(text);
  }, [text]);
  function type(wanted: string): void {
    setTyped(wanted);
    clearTimeout(pause.current);
    pause.current = setTimeout(() => {
      told.current = wanted.trim();
      tell(wanted.trim());
    }, pauseMs);
  }
  return [typed, type] as const;
}

function FilterHelp({ onClose }: { onClose(): void }) {
  const { text } = useWords();
  return (
    <Dialog title={text.queryLog.filter.helpTitle} onClose={onClose}>
      <p>{text.queryLog.filter.rules}</p>
      <dl className={styles.examples}>
        {text.queryLog.filter.examples.map(([example, meaning]) => (
          <div key={example}>
            <dt>
              <code>{example}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

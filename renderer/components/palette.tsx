/** Every action by its name: type, choose with the arrows, Enter. */
import { useId, useState } from 'react';
import { type Action, actions } from '../state/actions.ts';
import { goTo } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import type { Text } from '../text/catalogue.ts';
import { useWords } from '../text/use-text.ts';
import { Dialog } from './dialog.tsx';
import styles from './palette.module.css';

export function Palette({ onClose }: { onClose(): void }) {
  const { text } = useWords();
  const offered = useStore(actions);
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState(0);
  const list = useId();
  const find = typed.trim() === '' ? [] : [findQueries(typed.trim(), text)];
  const found = [...findActions(offered, typed), ...find];
  const current = found[Math.min(chosen, found.length - 1)];

  function run(action: Action | undefined): void {
    if (action === undefined) return;
    onClose();
    action.run();
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen((before) => (before + step + found.length) % Math.max(1, found.length));
    }
    if (event.key === 'Enter') run(current);
  }

  return (
    <Dialog bare title={text.frame.palette.title} onClose={onClose}>
      <input
        className={styles.search}
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={current === undefined ? undefined : `${list}-${current.id}`}
        aria-label={text.frame.palette.search}
        placeholder={text.frame.palette.search}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id={list} className={styles.list} role="listbox" aria-label={text.frame.palette.title}>
        {found.map((action) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys belong to the field above
          <div
            key={action.id}
            id={`${list}-${action.id}`}
            ref={action === current ? keepInView : null}
            className={styles.option}
            role="option"
            tabIndex={-1}
            aria-selected={action === current}
            onClick={() => run(action)}
          >
            <span>{action.label}</span>
            {action.keys === undefined ? null : <kbd className={styles.keys}>{action.keys}</kbd>}
          </div>
        ))}
      </div>
    </Dialog>
  );
}

function keepInView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

/** What is typed may be a domain as well: its queries are one step away. */
function findQueries(typed: string, text: Text): Action {
  return {
    id: 'find-queries',
    label: text.frame.palette.find(typed),
    run: () => goTo('queries', { filter: typed }),
  };
}

/** Actions whose label has all typed words, in any order. */
export function findActions(offered: readonly Action[], typed: string): readonly Action[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return offered.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
}

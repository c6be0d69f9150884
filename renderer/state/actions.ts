/** The actions that are possible now: each page and the frame add theirs, the palette lists them, keys start them. */
import { useEffect } from 'react';
import { host } from '../bridge/host.ts';
import { createStore } from './store.ts';

export interface Action {
  id: string;
  label: string;
  /** a single key, as "p" or "/"; absent: the palette alone */
  keys?: string;
  run(): void;
}

const offered = new Map<symbol, readonly Action[]>();
export const actions = createStore<readonly Action[]>([]);

/** They exist as long as the component that adds them. */
export function useActions(mine: readonly Action[]): void {
  useEffect(() => {
    const key = Symbol();
    offered.set(key, mine);
    actions.set([...offered.values()].flat());
    return () => {
      offered.delete(key);
      actions.set([...offered.values()].flat());
    };
  }, [mine]);
}

/** Starts actions by their keys, unless the person types or a dialog is open. */
export function listenForKeys(openPalette: () => void): () => void {
  return host.onKey((event) => {
    if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      openPalette();
      return;
    }
    if (event.metaKey || event.ctrlKey || event.altKey || isTaken(event)) return;
    const action = actions.get().find(({ keys }) => keys === event.key);
    if (action === undefined) return;
    event.preventDefault();
    action.run();
  });
}

function isTaken({ target, defaultPrevented }: KeyboardEvent): boolean {
  if (defaultPrevented || !(target instanceof Element)) return true;
  return (
    target.closest('input, textarea, select, dialog, [role="menu"], [contenteditable]') !== null
  );
}

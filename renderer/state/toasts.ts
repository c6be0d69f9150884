/** Short messages about what was just done: shown long enough to be read. */
import type { ReactNode } from 'react';
import { createStore } from './store.ts';

export interface Toast {
  id: number;
  /** `problem` stays until it is dismissed */
  kind: 'done' | 'problem';
  content: ReactNode;
}

export const toasts = createStore<readonly Toast[]>([]);

const shownMs = 6000;
const most = 3;
let lastId = 0;

export function toast(kind: Toast['kind'], content: ReactNode): void {
  show(kind, () => content);
}

/** What was done, with a button; `close` takes the message away once the button was used. */
export function toastWithButton(draw: (close: () => void) => ReactNode): void {
  show('done', draw);
}

function show(kind: Toast['kind'], draw: (close: () => void) => ReactNode): void {
  lastId += 1;
  const id = lastId;
  const content = draw(() => dismiss(id));
  toasts.set([...toasts.get(), { id, kind, content }].slice(-most));
  if (kind === 'done') setTimeout(() => dismiss(id), shownMs);
}

export function dismiss(id: number): void {
  toasts.set(toasts.get().filter((one) => one.id !== id));
}

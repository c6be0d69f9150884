/** One value that the page draws, and its listeners. */
import { useSyncExternalStore } from 'react';

export interface Readable<Value> {
  get(): Value;
  /** The function returned ends the subscription. */
  subscribe(listener: () => void): () => void;
}

export interface Store<Value> extends Readable<Value> {
  set(value: Value): void;
}

export function createStore<Value>(initial: Value): Store<Value> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<Value>(store: Readable<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get, store.get);
}

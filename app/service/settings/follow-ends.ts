/** Entries of policies and profiles that end at a time, which no change of a file announces. */
import type { SettingsStore } from './settings-store.ts';

const lookEveryMs = 20_000;

interface Parts {
  store: Pick<SettingsStore, 'nextEnd'>;
  /** The clock was set: what had ended may hold again. */
  onClockSet(listener: () => void): () => void;
  reload(): void;
  now(): number;
}

/** The function returned ends it. */
export function followEnds({ store, onClockSet, reload, now }: Parts): () => void {
  const looking = setInterval(() => {
    const end = store.nextEnd();
    if (end !== null && end <= now()) reload();
  }, lookEveryMs);
  const deaf = onClockSet(reload);
  return () => {
    clearInterval(looking);
    deaf();
  };
}

/** Reads the status when it may have changed, and sends it to followers: soon, but not more often than a person can read. */
import { isDeepStrictEqual } from 'node:util';
import type { ServiceStatus } from '../../contract/status/service-status.ts';

export interface StatusFeed {
  /** Something may have changed. */
  touch(): void;
  /** The function returned ends the subscription. */
  follow(listener: (status: ServiceStatus) => void): () => void;
  close(): void;
}

const quietMs = 200;

/** The engine does not report counters by itself; followers get them at this pace. */
const counterMs = 1000;

/** `look`: notices changes, and reads the status. `onBug`: that failed; followers wait, DNS does not. */
export function createStatusFeed(
  look: () => ServiceStatus,
  onBug: (error: unknown) => void,
): StatusFeed {
  const listeners = new Set<(status: ServiceStatus) => void>();
  let last: ServiceStatus | null = null;
  let soon: NodeJS.Timeout | null = null;
  let counters: NodeJS.Timeout | null = null;

  function tell(): void {
    soon = null;
    try {
      const status = look();
      if (isDeepStrictEqual(status, last)) return;
      last = status;
      for (const listener of listeners) listener(status);
    } catch (error) {
      onBug(error);
    }
  }

  function stopCounting(): void {
    if (counters !== null) clearInterval(counters);
    counters = null;
  }

  return {
    touch() {
      soon ??= setTimeout(tell, quietMs);
    },
    follow(listener) {
      listeners.add(listener);
      counters ??= setInterval(tell, counterMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stopCounting();
      };
    },
    close() {
      listeners.clear();
      stopCounting();
      if (soon !== null) clearTimeout(soon);
    },
  };
}

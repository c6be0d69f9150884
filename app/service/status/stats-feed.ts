/** Sends the figures to followers every second; reads nothing without followers. */
import type { ServiceStats } from '../../contract/status/service-stats.ts';

export interface StatsFeed {
  /** The function returned ends the subscription. */
  follow(listener: (stats: ServiceStats) => void): () => void;
  close(): void;
}

export const statsEveryMs = 1000;

/** `onBug`: reading the figures failed; they are read again the next second. */
export function createStatsFeed(
  read: () => Promise<ServiceStats>,
  onBug: (error: unknown) => void,
): StatsFeed {
  const listeners = new Set<(stats: ServiceStats) => void>();
  let ticking: NodeJS.Timeout | null = null;
  let reading = false;

  async function tell(): Promise<void> {
    if (reading) return;
    reading = true;
    try {
      const stats = await read();
      for (const listener of listeners) listener(stats);
    } catch (error) {
      onBug(error);
    } finally {
      reading = false;
    }
  }

  function stop(): void {
    if (ticking !== null) clearInterval(ticking);
    ticking = null;
  }

  return {
    follow(listener) {
      listeners.add(listener);
      ticking ??= setInterval(tell, statsEveryMs);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    close() {
      listeners.clear();
      stop();
    },
  };
}

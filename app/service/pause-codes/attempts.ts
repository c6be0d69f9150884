/**
 * Wrong pause codes, and how long the next attempt has to wait for them. They are counted on the disk, before a code is compared,
 * so that no restart and no crash makes them fewer.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { writeDurably } from '../base/durable-file.ts';
import type { MachineClock } from '../base/machine-clock.ts';

const counted = z.strictObject({
  wrong: z.int().nonnegative(),
  /** milliseconds since the start of the machine */
  at: z.number().nonnegative(),
  boot: z.string(),
});
type Counted = z.infer<typeof counted>;

export interface Attempts {
  /** Milliseconds until the next attempt; 0: now. */
  wait(): number;
  /** Throws where the disk refuses. */
  count(): void;
  /** The last one was right. Throws where the disk refuses. */
  clear(): void;
}

const firstWaitMs = 5_000;
const longestWaitMs = 3_600_000;

export function openAttempts(file: string, clock: MachineClock): Attempts {
  let last = read(file, clock);

  function keep(wrong: number): void {
    const next = { wrong, at: clock.sinceBoot(), boot: clock.boot };
    writeDurably(file, `${JSON.stringify(next)}\n`);
    last = next;
  }

  return {
    wait() {
      if (last.wrong === 0) return 0;
      const whole = Math.min(firstWaitMs * 2 ** (last.wrong - 1), longestWaitMs);
      // After a restart of the machine nobody knows how long it was off, so the wait begins with its start.
      const since = last.boot === clock.boot ? last.at : 0;
      return Math.min(whole, Math.max(0, whole - (clock.sinceBoot() - since)));
    },
    count: () => keep(last.wrong + 1),
    clear: () => keep(0),
  };
}

/** A file that can't be read counts as many wrong ones: no crash makes such a file. */
function read(file: string, clock: MachineClock): Counted {
  const none = { wrong: 0, at: 0, boot: clock.boot };
  try {
    return counted.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing ? none : { ...none, wrong: 6, at: clock.sinceBoot() };
  }
}

import { setTimeout as pause } from 'node:timers/promises';

const shortestPollMs = 25;
const longestPollMs = 250;

/**
 * How long a test waits for something that must happen but has no deadline of its own. It only ends a test that hangs:
 * a machine whose disk stands still for twenty seconds fails nothing.
 */
export const patienceMs = 60_000;

/**
 * Calls `probe` until it returns something other than null, undefined or false, and returns that. A probe that throws has not
 * succeeded yet; the last reason is part of the error when the deadline passes.
 */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  deadlineMs = patienceMs,
): Promise<T> {
  const begun = Date.now();
  const deadline = begun + deadlineMs;
  let reason = '';
  do {
    const asked = Date.now();
    try {
      const result = await probe();
      if (result !== null && result !== undefined && result !== false) return result;
    } catch (error) {
      reason = `: ${error instanceof Error ? error.message : String(error)}`;
    }
    // what takes long, and whose answer does, is asked for seldom: many probes start a program
    const now = Date.now();
    const rest = Math.max(shortestPollMs, (now - begun) / 20, 4 * (now - asked));
    await pause(Math.min(rest, longestPollMs));
  } while (Date.now() < deadline);
  throw new Error(`${what}: not within ${deadlineMs} ms${reason}`);
}

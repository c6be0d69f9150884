/** Lets others run first: threads that answer queries come before the one that writes the log, and that before its reader. */
import { getPriority, setPriority } from 'node:os';

/**
 * `thread`: of this process; 0 is the present one. `niceness` counts as nice(1) does. Who was started further back stays there,
 * because only root may bring a thread forward.
 */
export function stepBack(thread: number, niceness: number): void {
  if (getPriority(thread) < niceness) setPriority(thread, niceness);
}

/** When to look whether the network wants a login. Pure. */
import type { GroupPath } from '../protection/group-path.ts';

export interface WatchFacts {
  /** the setting */
  detect: boolean;
  /** Sotto is neither off nor paused */
  on: boolean;
  path: GroupPath['kind'];
  /** something leads out of this machine, other than a tunnel */
  hasPlace: boolean;
  /** a person said, on this stay, that there is no login page */
  skipped: boolean;
}

/**
 * `aside`: nothing is looked for. `private`: a private path stands, so nothing is sent and what was seen is over. `look`:
 * none stands.
 */
export type WatchStep = 'aside' | 'private' | 'look';

export function watchStep({ detect, on, path, hasPlace, skipped }: WatchFacts): WatchStep {
  if (on && path === 'private') return 'private';
  return detect && on && hasPlace && !skipped && path !== 'offline' ? 'look' : 'aside';
}

/** A private path needs so long to stand, where it can. */
const graceMs = 400;
/** RFC 8908, section 4.1 wants no hurry; a login that is done elsewhere is noticed within the last of them. */
const againMs = [2_000, 4_000, 20_000];

/** Until the next look, after so many. */
export function pauseBefore(looks: number): number {
  return looks === 0 ? graceMs : (againMs[Math.min(looks, againMs.length) - 1] ?? graceMs);
}

/** When to look whether the network wants a login. Pure. */
import type { GroupPath } from '../protection/group-path.ts';

export interface WatchFacts {
  /** the setting */
  detect: boolean;
  /** Sotto is neither off nor paused */
  on: boolean;
  path: GroupPath['kind'];
  /** a link other than a tunnel leads out of this machine */
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

/** How long a private path may take to stand. */
const graceMs = 400;
/** RFC 8908, section 4.1 asks for patience; a login that ends elsewhere is noticed within the last of these. */
const againMs = [2_000, 4_000, 20_000];

/** The pause until the next look, after this many looks. */
export function pauseBefore(looks: number): number {
  return looks === 0 ? graceMs : (againMs[Math.min(looks, againMs.length) - 1] ?? graceMs);
}

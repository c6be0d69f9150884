/** What one trial showed. */
import type { Trial } from './plan.ts';

export interface Outcome {
  trial: Trial;
  /** names that were asked for */
  asked: number;
  /** those that the network's resolver heard: before anybody overwrote anything, */
  before: number;
  /** within the first moment of the first overwrite, */
  inFirstMoment: number;
  /** and later */
  later: number;
  /** of those that were heard, asked for once the gate was closed, which none can pass, however slow the machine is; null: it was not */
  afterClosing: number | null;
  /** of the later ones those for which no entry of class contested stood at that time */
  withoutEntry: number;
  /** an entry of class contested stood before anybody overwrote anything */
  entryBefore: boolean;
  /** one was written since then, */
  entry: boolean;
  /** so long after the first overwrite, as far as that is known; null: none */
  entryAfterMs: number | null;
  /** and one of them claims to have counted what nobody can count */
  counted: boolean;
  /** what stood at the end */
  closed: boolean;
  mechanism: string | null;
  verdict: string;
  /** an entry of class contested stood open when that was judged */
  standing: boolean;
  seconds: number;
}

/** What is asked while a first overwrite is noticed is excepted, and counted. */
export const firstMomentMs = 50;

/** What came to an end before it was over, and why. */
export interface Broken {
  trial: Trial;
  broken: string;
}

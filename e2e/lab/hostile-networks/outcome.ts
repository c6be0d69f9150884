/** What one trial showed. */
import type { Trial } from './plan.ts';

export interface Outcome {
  trial: Trial;
  /** names that were queried */
  asked: number;
  /** those that the network's resolver received: before the first overwrite, */
  before: number;
  /** within the first moment of the first overwrite, */
  inFirstMoment: number;
  /** and later */
  later: number;
  /**
   * of the received names, those that were queried after the gate was closed, which no name can pass, however slow the machine
   * is; null: it was not closed
   */
  afterClosing: number | null;
  /** of the later ones, those for which no entry of class contested was open at that time */
  withoutEntry: number;
  /** an entry of class contested was open before the first overwrite */
  entryBefore: boolean;
  /** one was written since then, */
  entry: boolean;
  /** how long after the first overwrite, as far as that is known; null: none was */
  entryAfterMs: number | null;
  /** and one of them has a count, although no part of Sotto can count these packets */
  counted: boolean;
  /** the state at the end */
  closed: boolean;
  mechanism: string | null;
  verdict: string;
  /** an entry of class contested was open when that was judged */
  standing: boolean;
  seconds: number;
}

/** Names that are queried before the first overwrite is noticed are excepted, and counted. */
export const firstMomentMs = 50;

/** Trials that ended early, and why. */
export interface Broken {
  trial: Trial;
  broken: string;
}

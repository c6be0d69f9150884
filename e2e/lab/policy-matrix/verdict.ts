/** What one cell showed, and where that is wrong. Pure. */
import { rcodes } from '../../rig/message.ts';
import type { Cell, Observed } from './cell.ts';
import type { Strike } from './faults.ts';
import { maySpeakClear } from './policies.ts';
import type { Outcome } from './steady-queries.ts';

export interface Verdict {
  policy: string;
  fault: string;
  states: string[];
  /** queries in cleartext: by tshark, and by the ledger */
  captured: number;
  ledger: number | null;
  /** each entry's class, count and how it ended */
  entries: { class: string; count: number | null; closed: string | null }[];
  asked: number;
  answered: number;
  servfail: number;
  lost: number;
  /** after the fault was removed: until the service was private again, and until the last query left in cleartext */
  privateAfterMs: number | null;
  lastClearAfterMs: number | null;
  /** after the service was killed or stopped */
  restoredAfterMs: number | null;
  problems: string[];
}

/** Rests between attempts grow to 6 s, and an attempt takes at most 2. */
export const backWithinMs = 10_000;
/** A response that was on its way when the service died is lost with it; the longest takes this. */
const longestAnswerMs = 5_000;
/** tshark uses the same clock; packets that are already in the kernel leave a moment later. */
const instantMs = 50;

export function judge(cell: Cell, observed: Observed): Verdict {
  const figures = measure(cell, observed);
  return { ...figures, problems: problemsOf(cell, observed, figures) };
}

type Figures = Omit<Verdict, 'problems'>;

function measure({ policy, fault }: Cell, observed: Observed): Figures {
  const { queries, ledger, faultOverAt, struckAt, restoredAt } = observed;
  const lastAt = lastClearAt(observed);
  const counts = ledger.map(({ count }) => count);
  return {
    policy: policy.name,
    fault: fault.name,
    states: observed.states,
    captured: observed.captured.length,
    ledger: counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0),
    entries: ledger.map(({ class: of, count, closed }) => ({ class: of, count, closed })),
    asked: queries.length,
    answered: queries.filter(({ rcode }) => rcode === rcodes.NOERROR).length,
    servfail: queries.filter(({ rcode }) => rcode === rcodes.SERVFAIL).length,
    lost: queries.filter(({ rcode }) => rcode === null).length,
    privateAfterMs: fault.staysPrivate ? null : Math.round(observed.privateAt - faultOverAt),
    lastClearAfterMs: lastAt > faultOverAt ? Math.round(lastAt - faultOverAt) : null,
    restoredAfterMs: struckAt === null || restoredAt === null ? null : restoredAt - struckAt,
  };
}

/** In the order in which a person would want to know. */
function problemsOf({ policy, fault }: Cell, observed: Observed, figures: Figures): string[] {
  const { captured, ledger, privateAfterMs, lastClearAfterMs } = figures;
  const { leaseOverAt, stoodStillMs } = observed;
  const [instant, backWithin] = [instantMs + stoodStillMs, backWithinMs + stoodStillMs];
  const speaks = maySpeakClear(policy) && !fault.staysPrivate;
  const overrun = leaseOverAt === null ? 0 : lastClearAt(observed) - leaseOverAt;
  const hung = observed.queries.filter(
    (one) => one.rcode === null && !mayBeLost(one, fault.strike, observed),
  );
  const unsaid = missingEnding(fault.strike, observed);
  const rules: [broken: boolean, words: string][] = [
    [captured !== ledger, `${captured} queries captured in cleartext, ${ledger} in the ledger`],
    [!speaks && captured > 0, `${captured} queries left in cleartext, none was allowed`],
    [captured > 0 !== observed.nameInCapture, 'tshark and a search for the name disagree'],
    [!speaks && observed.ledger.length > 0, 'the ledger holds a permission that was not needed'],
    [speaks && captured === 0, 'nothing left in cleartext, so nothing was tried'],
    [overrun > instant, `in cleartext ${Math.round(overrun)} ms after the permission had ended`],
    [observed.ledger.some(({ closed }) => closed === null), 'an entry of the ledger is still open'],
    [fault.staysPrivate === true && observed.states.some(isTrouble), 'not private throughout'],
    [speaks && unsaid !== null, `no entry says: ${unsaid}`],
    [(privateAfterMs ?? 0) > backWithin, `private only after ${privateAfterMs} ms`],
    [
      (lastClearAfterMs ?? 0) > backWithin,
      `in cleartext still ${lastClearAfterMs} ms after the fault`,
    ],
    [hung.length > 0, `${hung.length} queries hung without an answer`],
  ];
  return rules.flatMap(([broken, words]) => (broken ? [words] : []));
}

/** How an entry should say that the service died, where none does; null: one does, or the service lived on. */
function missingEnding(strike: Strike | undefined, { ledger }: Observed): string | null {
  if (strike === undefined || strike === 'hold') return null;
  // A signal leaves it the time to close what is open.
  const ending = strike === 'terminate' ? 'the service stopped' : 'interrupted';
  return ledger.some(({ closed }) => closed === ending) ? null : ending;
}

/** Unix milliseconds; -Infinity: no query left. */
function lastClearAt(observed: Observed): number {
  return Math.max(...observed.captured.map(({ at }) => at * 1000));
}

function isTrouble(state: string): boolean {
  return state !== 'starting' && state !== 'private';
}

/**
 * True for queries that the dying service had accepted, and for those that came while no process listened. With a guardian, the
 * addresses are always held.
 */
function mayBeLost({ at }: Outcome, strike: Strike | undefined, observed: Observed): boolean {
  const { struckAt, restoredAt, stoodStillMs } = observed;
  if (struckAt === null || restoredAt === null) return false;
  const until = strike === 'kill-alone' ? restoredAt : struckAt + instantMs + stoodStillMs;
  return at >= struckAt - longestAnswerMs - stoodStillMs && at <= until;
}

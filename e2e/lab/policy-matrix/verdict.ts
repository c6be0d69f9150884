/** What one cell showed, and what of it is not as it must be. Pure. */
import { rcodes } from '../../system/wire.ts';
import type { Cell, Observed } from './cell.ts';
import { maySpeakClear } from './policies.ts';
import type { Outcome } from './steady-questions.ts';

export interface Verdict {
  policy: string;
  fault: string;
  states: string[];
  /** questions in clear: by tshark, and by the ledger */
  captured: number;
  ledger: number | null;
  /** each entry's class, count and how it ended */
  entries: { class: string; count: number | null; closed: string | null }[];
  asked: number;
  answered: number;
  servfail: number;
  lost: number;
  /** after the fault was removed: until the service was private again, and until the last question left in clear */
  privateAfterMs: number | null;
  lastClearAfterMs: number | null;
  /** after the service was killed or stopped */
  restoredAfterMs: number | null;
  problems: string[];
}

/** Rests between attempts grow to 6 s, and an attempt takes at most 2. */
export const backWithinMs = 10_000;
/** An answer that was on its way when the service died is lost with it; the longest takes this. */
const longestAnswerMs = 5_000;
/** tshark's clock and ours are one; packets already in the kernel leave a moment later. */
const instantMs = 50;

export function judge({ policy, fault }: Cell, observed: Observed): Verdict {
  const { questions, ledger, captured, faultOverAt } = observed;
  const clear = captured.filter(({ kind }) => kind === 'question');
  const lastClearAt = Math.max(...clear.map(({ at }) => at * 1000));
  const counts = ledger.map(({ count }) => count);
  const figures = {
    policy: policy.name,
    fault: fault.name,
    states: observed.states,
    captured: clear.length,
    ledger: counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0),
    entries: ledger.map(({ class: of, count, closed }) => ({ class: of, count, closed })),
    asked: questions.length,
    answered: questions.filter(({ rcode }) => rcode === rcodes.NOERROR).length,
    servfail: questions.filter(({ rcode }) => rcode === rcodes.SERVFAIL).length,
    lost: questions.filter(({ rcode }) => rcode === null).length,
    privateAfterMs: fault.staysPrivate ? null : Math.round(observed.privateAt - faultOverAt),
    lastClearAfterMs: lastClearAt > faultOverAt ? Math.round(lastClearAt - faultOverAt) : null,
    restoredAfterMs:
      observed.struckAt === null || observed.restoredAt === null
        ? null
        : observed.restoredAt - observed.struckAt,
  };
  const speaks = maySpeakClear(policy) && !fault.staysPrivate;
  const { leaseOverAt } = observed;
  const problems = [
    figures.captured !== figures.ledger &&
      `${figures.captured} questions captured in clear, ${figures.ledger} in the ledger`,
    !speaks &&
      figures.captured > 0 &&
      `${figures.captured} questions left in clear, none was allowed`,
    !speaks && ledger.length > 0 && 'the ledger holds a permission nobody gave',
    speaks && figures.captured === 0 && 'nothing left in clear, so nothing was tried',
    ledger.some(({ closed }) => closed === null) && 'an entry of the ledger is still open',
    fault.staysPrivate &&
      observed.states.some(isTrouble) &&
      `states: ${observed.states.join(', ')}`,
    (figures.privateAfterMs ?? 0) > backWithinMs &&
      `private only after ${figures.privateAfterMs} ms`,
    (figures.lastClearAfterMs ?? 0) > backWithinMs &&
      `in clear still ${figures.lastClearAfterMs} ms after`,
    leaseOverAt !== null &&
      lastClearAt > leaseOverAt + instantMs &&
      `in clear ${Math.round(lastClearAt - leaseOverAt)} ms after the permission had ended`,
    questions.some((question) => question.rcode === null && !mayBeLost(question, observed)) &&
      'questions hung without an answer',
  ].filter((problem) => typeof problem === 'string');
  return { ...figures, problems };
}

function isTrouble(state: string): boolean {
  return state !== 'starting' && state !== 'private';
}

/** What the service held when it died, and what was asked where nobody listened. */
function mayBeLost({ at }: Outcome, { struckAt, restoredAt }: Observed): boolean {
  return struckAt !== null && at >= struckAt - longestAnswerMs && at <= (restoredAt ?? struckAt);
}

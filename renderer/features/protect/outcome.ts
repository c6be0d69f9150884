/** What a person sees of an attempt, from how it went and from the service's status. Pure. */
import type { Failure } from '../../../app/contract/errors.ts';
import { type Taking, takingOf } from '../../../app/contract/protection/taking.ts';
import { sayRefusal } from '../../../app/contract/protection/taking-words.ts';
import type { protectSentences } from '../../../app/contract/sentences/protect.ts';
import type { ServiceStatus } from '../../../app/contract/status/service-status.ts';
import type { Attempt } from './attempt.ts';

export interface Outcome {
  tone: 'busy' | 'good' | 'bad' | 'plain';
  /** null: the failure's own words say everything */
  says: keyof typeof protectSentences | null;
  /** a line for a terminal */
  line: string | null;
  /** what failed, in its own words */
  failure: Failure | null;
  /** pressing once more may help */
  mayTryAgain: boolean;
  /** it is wanted now, so there is a way back */
  mayStop: boolean;
}

export function outcomeOf(attempt: Attempt, status: ServiceStatus | null): Outcome {
  const isWanted = status?.systemDns?.wanted === true;
  const plain = { ...nothingMore, mayStop: isWanted && attempt.change === 'take' };
  const taking = status === null ? 'changing' : takingOf(status);
  switch (attempt.is) {
    case 'asking':
      return { ...nothingMore, tone: 'busy', says: 'protect-asking' };
    case 'prompting':
      return { ...nothingMore, tone: 'busy', says: 'protect-password' };
    case 'made':
      if (attempt.change === 'give-back') return stopped(isWanted);
      return { ...plain, ...made(taking, status?.systemDns?.trouble ?? null) };
    case 'refused':
      // What kept it from being done may be gone by now: the service tries again by itself.
      return attempt.change === 'take' && isLed(taking)
        ? { ...plain, ...made(taking, null) }
        : { ...plain, ...refused(attempt) };
  }
}

const nothingMore = {
  line: null,
  failure: null,
  mayTryAgain: false,
  mayStop: false,
} as const satisfies Partial<Outcome>;

function stopped(isWanted: boolean): Outcome {
  return isWanted
    ? { ...nothingMore, tone: 'busy', says: 'protect-asking' }
    : { ...nothingMore, tone: 'good', says: 'taking-stopped' };
}

type Partly = Pick<Outcome, 'tone' | 'says'> & Partial<Outcome>;

function made(taking: Taking, trouble: Failure | null): Partly {
  switch (taking) {
    // The status is older than the reply.
    case 'not-wanted':
    case 'changing':
      return { tone: 'busy', says: 'taking-changing' };
    case 'checking':
      return { tone: 'busy', says: 'taking-checking' };
    case 'working':
    case 'partly':
      return { tone: 'good', says: `taking-${taking}` };
    case 'failed':
      return { tone: 'bad', says: 'taking-failed', failure: trouble };
    case 'contested':
      return { tone: 'bad', says: 'taking-contested', mayTryAgain: true };
    case 'not-arriving':
      return { tone: 'bad', says: 'taking-not-arriving' };
    default:
      return { tone: 'plain', says: `taking-${taking}` };
  }
}

function isLed(taking: Taking): boolean {
  return ['checking', 'working', 'partly', 'led', 'not-arriving'].includes(taking);
}

function refused(attempt: Extract<Attempt, { is: 'refused' }>): Partly {
  const { failure, change, startHelper } = attempt;
  const said = sayRefusal(failure, change, startHelper);
  const mayTryAgain = failure.code !== 'setting-locked';
  if (said === null) return { tone: 'bad', says: null, failure, mayTryAgain };
  const { says, line, withReason } = said;
  return { tone: 'bad', says, line, failure: withReason ? failure : null, mayTryAgain };
}

/** Questions to the person, one at a time for a group: opened, answered, or closed by themselves. No effects beyond that. */

import { fail, type Result, succeed } from '../../contract/errors.ts';
import type { Ask, AskState } from '../../contract/protection/ask.ts';
import type { Role } from '../../contract/service-api.ts';

export type NewAsk = Pick<
  Ask,
  'network' | 'networkLabel' | 'group' | 'upstream' | 'why' | 'rungs' | 'consent'
>;

/** Who answers, and what they may. */
export interface Answerer {
  who: string;
  role: Role;
}

export interface Asks {
  open(question: NewAsk): Ask;
  /** The one whose answer, or lack of one, counts for this group now. */
  current(group: string): Ask | null;
  allow(id: string, minutes: number, answerer: Answerer): Result<Ask>;
  deny(id: string, answerer: Answerer): Result<Ask>;
  /** Also of a question that was answered "no", or not at all. */
  retry(id: string, answerer: Answerer): Result<Ask>;
  /** The deadline has passed. */
  expire(group: string): void;
  /** Neither question nor answer count any more; without a group: none does. */
  drop(group?: string): void;
  /** The time allowed is over, whatever the clock says. */
  spend(group: string): void;
  /** The private paths were tried again. */
  tried(id: string): void;
  /** Newest first. */
  list(): Ask[];
}

/** A question nobody answered by then was answered "stay private". */
export const askDeadlineMs = 10 * 60_000;

const mostKept = 50;

export function createAsks(now: () => number, newId: () => string): Asks {
  const kept: Ask[] = [];
  const current = new Map<string, Ask>();

  function change(ask: Ask, changes: Partial<Ask>): Ask {
    return Object.assign(ask, changes);
  }

  /** A question in one of the states can be answered, by whoever asks nothing more of it than its id. */
  function answer(
    id: string,
    state: AskState,
    { who }: Answerer,
    from: readonly AskState[],
    until: number | null = null,
  ): Result<Ask> {
    const ask = kept.find((one) => one.id === id);
    if (ask === undefined)
      return fail('unknown-ask', `there is no question "${id}"`, 'see: sotto ask list', id);
    if (ask.state === 'open' && ask.deadline <= now()) change(ask, { state: 'unanswered' });
    if (current.get(ask.group) !== ask || !from.includes(ask.state)) return closed(ask);
    return succeed(change(ask, { state, who, until, answeredAt: now() }));
  }

  function closed(ask: Ask): Result<never> {
    const again = current.get(ask.group) === ask && canRetry.includes(ask.state);
    return fail(
      'ask-closed',
      `the question "${ask.id}" is closed: ${sayState(ask)}`,
      again ? `to be asked anew: sotto ask retry ${ask.id}` : 'see: sotto ask list',
      ask.id,
    );
  }

  function drop(group: string): void {
    const ask = current.get(group);
    if (ask?.state === 'open') change(ask, { state: 'withdrawn' });
    current.delete(group);
  }

  return {
    open(question) {
      drop(question.group);
      const openedAt = now();
      const ask: Ask = {
        ...question,
        id: newId(),
        openedAt,
        deadline: openedAt + askDeadlineMs,
        state: 'open',
        answeredAt: null,
        who: null,
        until: null,
      };
      kept.unshift(ask);
      kept.length = Math.min(kept.length, mostKept);
      current.set(question.group, ask);
      return ask;
    },
    current: (group) => current.get(group) ?? null,

    allow(id, minutes, answerer) {
      const ask = kept.find((one) => one.id === id);
      if (ask?.consent === 'administrator' && answerer.role !== 'administer')
        return fail(
          'forbidden',
          `only an administrator may allow clear questions here; you have the role ${answerer.role}`,
          'ask an administrator, or stay private',
          id,
        );
      return answer(id, 'allowed', answerer, ['open'], now() + minutes * 60_000);
    },
    deny: (id, answerer) => answer(id, 'denied', answerer, ['open']),
    retry: (id, answerer) => answer(id, 'retried', answerer, canRetry),

    expire(group) {
      const ask = current.get(group);
      if (ask?.state === 'open') change(ask, { state: 'unanswered' });
    },
    drop(group) {
      for (const one of group === undefined ? [...current.keys()] : [group]) drop(one);
    },
    spend(group) {
      if (current.get(group)?.state === 'allowed') current.delete(group);
    },
    tried(id) {
      for (const [group, ask] of current)
        if (ask.id === id && ask.state === 'retried') current.delete(group);
    },
    list: () => kept.map((ask) => ({ ...ask })),
  };
}

const canRetry: readonly AskState[] = ['open', 'denied', 'unanswered'];

function sayState({ state, who }: Ask): string {
  const words: Record<AskState, string> = {
    open: 'it counts no more',
    allowed: `${who ?? 'somebody'} allowed it`,
    denied: `${who ?? 'somebody'} chose to stay private`,
    retried: `${who ?? 'somebody'} chose to try again`,
    unanswered: 'its deadline passed',
    withdrawn: 'it is of no interest any more',
  };
  return words[state];
}

/** Four letters that can't be taken for each other, or for a number. */
export function askId(random: () => number = Math.random): string {
  const letters = 'abcdefghkmnpqrstuvwxyz';
  return Array.from({ length: 4 }, () => letters[Math.floor(random() * letters.length)]).join('');
}

/** A consent request, with the commands that answer it. */
import type {
  ConsentRequest,
  RetriedConsentRequest,
} from '../../contract/protection/consent-request.ts';
import { sayDuration } from '../../contract/text/duration.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { dayAndMinute } from '../terminal/clock.ts';

export function renderAsk(ask: ConsentRequest, now: number): string[] {
  const { id, upstream, networkLabel, group, why, openedAt } = ask;
  const names = group === '' ? '' : ` (names of the group ${safe(group)})`;
  return [
    `${safe(id)}  ${dayAndMinute(openedAt)}  ${safe(upstream)} can't be reached privately on ${safe(networkLabel)}${names}`,
    ...(why === '' ? [] : [`  ${safe(why)}`]),
    ...(ask.state === 'open' ? renderChoices(ask, now) : [`  ${sayAnswer(ask)}`]),
  ];
}

export function renderChoices(
  { id, rungs, consent, deadline }: ConsentRequest,
  now: number,
): string[] {
  const who = consent === 'administrator' ? ', as an administrator' : '';
  return [
    `  sotto ask allow ${safe(id)} --minutes 30   let questions leave in clear here (${rungs.join(', ')})${who}`,
    `  sotto ask deny ${safe(id)}                 stay private: they are refused here`,
    `  sotto ask retry ${safe(id)}                try the private paths again`,
    `  Without an answer within ${sayDuration(Math.max(0, deadline - now))} they stay refused.`,
  ];
}

/** The outcome of a request, as one sentence. */
export function sayAnswer({ state, who, until, id }: ConsentRequest): string {
  const person = who === null ? 'Somebody' : safe(who);
  switch (state) {
    case 'open':
      return 'Nobody has answered yet.';
    case 'allowed':
      return `${person} allowed clear questions${until === null ? '' : ` until ${dayAndMinute(until)}`}.`;
    case 'denied':
      return `${person} chose to stay private; to be asked again: sotto ask retry ${safe(id)}`;
    case 'retried':
      return `${person} chose to try the private paths again.`;
    case 'unanswered':
      return `Nobody answered; questions stay refused. To be asked again: sotto ask retry ${safe(id)}`;
    case 'withdrawn':
      return 'Withdrawn: a private path works, or the network or the settings changed.';
  }
}

/** The outcome of trying the private paths again. */
export function sayRetried({ reached, whyNot, next }: RetriedConsentRequest): string[] {
  if (reached !== null) return [`${safe(reached)} can be reached privately again.`];
  const why = whyNot === '' ? '' : ` ${safe(whyNot)}`;
  return [
    `In vain: no private path works.${why}`,
    next === null
      ? 'Nothing is sent in clear; see: sotto status'
      : `You are asked anew: sotto ask allow ${safe(next)} --minutes 30, or sotto ask deny ${safe(next)}`,
  ];
}

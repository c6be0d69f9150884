/** A consent request, with the commands that answer it. */
import type {
  ConsentRequest,
  RetriedConsentRequest,
} from '../../contract/protection/consent-request.ts';
import { sayDuration } from '../../contract/text/duration.ts';
import { safe } from '../../contract/text/visible-text.ts';
import { dayAndMinute } from '../terminal/clock.ts';

export function renderConsentRequest(request: ConsentRequest, now: number): string[] {
  const { id, upstream, networkLabel, group, why, openedAt } = request;
  const names = group === '' ? '' : ` (names of the group ${safe(group)})`;
  return [
    `${safe(id)}  ${dayAndMinute(openedAt)}  ${safe(upstream)} can't be reached privately on ${safe(networkLabel)}${names}`,
    ...(why === '' ? [] : [`  ${safe(why)}`]),
    ...(request.state === 'open' ? renderChoices(request, now) : [`  ${sayAnswer(request)}`]),
  ];
}

export function renderChoices(
  { id, rungs, consent, deadline }: ConsentRequest,
  now: number,
): string[] {
  const who = consent === 'administrator' ? ', as an administrator' : '';
  return [
    `  sotto consent allow ${safe(id)} --minutes 30   let queries leave in cleartext here (${rungs.join(', ')})${who}`,
    `  sotto consent deny ${safe(id)}                 stay private: they are refused here`,
    `  sotto consent retry ${safe(id)}                try the private paths again`,
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
      return `${person} allowed cleartext queries${until === null ? '' : ` until ${dayAndMinute(until)}`}.`;
    case 'denied':
      return `${person} chose to stay private; to be asked again: sotto consent retry ${safe(id)}`;
    case 'retried':
      return `${person} chose to try the private paths again.`;
    case 'unanswered':
      return `Nobody answered; queries stay refused. To be asked again: sotto consent retry ${safe(id)}`;
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
      ? 'Nothing is sent in cleartext; see: sotto status'
      : `You are asked anew: sotto consent allow ${safe(next)} --minutes 30, or sotto consent deny ${safe(next)}`,
  ];
}

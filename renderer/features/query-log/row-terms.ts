/** What the cells of a row say, and the filters that find rows like it. */
import { programName } from '../../../app/contract/query-log/asker-name.ts';
import { type FilterField, writeTerm } from '../../../app/contract/query-log/log-filter.ts';
import type { QueryEvent } from '../../../app/contract/query-log/query-event.ts';
import { safe } from '../../../app/contract/text/visible-text.ts';
import type { Words } from '../../text/use-text.ts';

/** Who was asked gave the answer, or its outcome says why there is no such one. */
export function answeredBy(
  { outcome, upstream }: QueryEvent,
  { answeredBy: words }: Words['text']['queryLog'],
): string {
  return isAsked(outcome) ? safe(upstream) : words[outcome];
}

export function termOfAnswer({ outcome, upstream }: QueryEvent): string {
  return isAsked(outcome) && upstream !== ''
    ? termOf('upstream', upstream)
    : termOf('outcome', outcome);
}

export function termOfType({ type }: QueryEvent): string {
  return termOf('type', type);
}

/** null: nobody knows which program asked */
export function termOfProgram({ asker }: QueryEvent): string | null {
  const { user, unit } = asker;
  const program = programName(asker);
  // Its name in the row is that of the session then.
  if (program === 'session' && unit !== '') return termOf('unit', unit);
  if (program !== '') return termOf('program', program);
  return user === '' ? null : termOf('user', user);
}

export function termOf(field: FilterField, text: string): string {
  const isMnemonic = field === 'rcode' || field === 'type';
  const value = isMnemonic ? text : text.toLowerCase();
  return writeTerm({ field, negated: false, values: [{ text: value, regex: false }] });
}

function isAsked(outcome: QueryEvent['outcome']): outcome is 'forwarded' | 'bypassed' {
  return outcome === 'forwarded' || outcome === 'bypassed';
}

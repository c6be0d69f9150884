/**
 * A filter as a client sends it: times of day are of the client's zone, and the service may run in another. So they go with their
 * offset from UTC. Only what is read without an error is changed, so that errors name the text as it was typed.
 */
import { readLogFilter } from './log-filter-reading.ts';
import { isLocalTime, timeOf } from './log-filter-values.ts';

export function sentFilter(text: string): string {
  const read = readLogFilter(text);
  if (!read.ok) return text;
  const local = read.terms.filter(
    ({ field, values }) =>
      (field === 'since' || field === 'until') && isLocalTime(values[0]?.text ?? ''),
  );
  return local.reduceRight((sofar, { field, negated, values, from, to }) => {
    const moment = new Date(timeOf(values[0]?.text ?? '', 0)).toISOString();
    return `${sofar.slice(0, from)}${negated ? '-' : ''}${field}:${moment}${sofar.slice(to)}`;
  }, text);
}

/** Parameters of a call, as a client in this zone sends them. */
export function inThisZone<Sent>(method: string, params: Sent): Sent {
  const { filter } = params as { filter?: unknown };
  if (!method.startsWith('log.') || typeof filter !== 'string') return params;
  return { ...params, filter: sentFilter(filter) };
}

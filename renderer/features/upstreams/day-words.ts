/** A provider's day in words, for the pointer and for people who can't see the picture. Pure. */
import type { Series } from '../../../app/contract/status/series.ts';
import type { Text } from '../../text/catalogue.ts';
import type { Formats } from '../../text/formats.ts';
import { type Day, standingAt } from './provider-day.ts';

/** One interval. */
export function describe(
  day: Day,
  { since, step }: Pick<Series, 'since' | 'step'>,
  place: number,
  text: Text,
  formats: Formats,
): string {
  const words = text.upstreams.day;
  const [from, to] = [since + place * step, since + (place + 1) * step];
  const end = since + day.queries.length * step;
  const [answered, failed] = [day.queries[place] ?? 0, day.failed[place] ?? 0];
  const [p50, p95] = [day.p50[place] ?? null, day.p95[place] ?? null];
  const said = [
    ...(standingAt(day, place) === 'not-asked' ? [words.standings['not-asked']] : []),
    ...(answered === 0 ? [] : [words.answered(formats.count(answered), answered === 1)]),
    ...(p50 === null ? [] : [words.took(formats.latency(p50))]),
    ...(p95 === null ? [] : [words.within(formats.latency(p95))]),
    ...(failed === 0 ? [] : [words.failed(formats.count(failed), failed === 1)]),
  ];
  return `${formats.moment(from, end)} – ${formats.moment(to, end)}: ${said.join(', ')}`;
}

/** All of it. */
export function summary({ queries, failed, p50 }: Day, text: Text, formats: Formats): string {
  const words = text.upstreams.day;
  const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
  const medians = p50.filter((one) => one !== null);
  const [answered, inVain] = [sum(queries), sum(failed)];
  return [
    words.answered(formats.count(answered), answered === 1),
    ...(medians.length === 0
      ? []
      : [
          words.between(
            formats.latency(Math.min(...medians)),
            formats.latency(Math.max(...medians)),
          ),
        ]),
    words.failed(formats.count(inVain), inVain === 1),
  ].join(', ');
}

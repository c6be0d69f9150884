/** Numbers, times and durations as a locale writes them. */
import {
  measureLatency,
  measureOctets,
  measureShare,
  type Quantity,
} from '../../app/contract/text/quantity.ts';

export interface Formats {
  count(number: number): string;
  /** 0.974 to "97.4%" */
  share(share: number): string;
  /** as precise as its size requires: "< 0.01 ms", "0.12 ms", "3.40 ms", "38.2 ms", "1.20 s" */
  latency(milliseconds: number): string;
  /** in its largest unit: "7 minutes", "2 hours" */
  duration(milliseconds: number): string;
  /** counting down: "4:05" or "1:00:05" */
  countdown(milliseconds: number): string;
  octets(octets: number): string;
  /** hour and minute */
  time(unixMilliseconds: number): string;
  /** with seconds, and the day unless it is today: on the page Queries only */
  clock(unixMilliseconds: number, now: number): string;
  /** "3 minutes ago", of a duration */
  ago(milliseconds: number): string;
  /** the day as well, unless it is today */
  moment(unixMilliseconds: number, now: number): string;
  dateTime(unixMilliseconds: number): string;
  /** of a day that may be far away */
  dateAndMinute(unixMilliseconds: number): string;
  /** of a day as ISO 8601 has it, without a time zone */
  date(day: string): string;
  /** "a, b and c" */
  list(items: readonly string[]): string;
}

/** `locale`: the person's own where it is of the page's language: de-AT writes some things differently. */
export function createFormats(locale: string): Formats {
  const number = new Intl.NumberFormat(locale);
  const list = new Intl.ListFormat(locale, { type: 'conjunction' });
  const hourAndMinute = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
  const clock = new Intl.DateTimeFormat(locale, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  const dayAndMinute = {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  } as const;
  const dayAndSecond = { ...dayAndMinute, second: '2-digit', hourCycle: 'h23' } as const;
  const clockOfDay = new Intl.DateTimeFormat(locale, dayAndSecond);
  const clockOfYear = new Intl.DateTimeFormat(locale, { ...dayAndSecond, year: 'numeric' });
  const relative = new Intl.RelativeTimeFormat(locale);
  const day = new Intl.DateTimeFormat(locale, dayAndMinute);
  const dayOfYear = new Intl.DateTimeFormat(locale, { ...dayAndMinute, year: 'numeric' });
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const long = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
  const full = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });

  /** Making one takes a hundred times as long as using it, and a live query log writes hundreds a second. */
  const made = new Map<string, Intl.NumberFormat>();
  const format = (key: string, options: Intl.NumberFormatOptions) => {
    const known = made.get(key) ?? new Intl.NumberFormat(locale, options);
    made.set(key, known);
    return known;
  };
  const digits = (count: number) => ({
    minimumFractionDigits: count,
    maximumFractionDigits: count,
  });
  /** Symbols such as ms and kB are the same in every language. */
  const quantity = ({ sign, value, digits: count, unit }: Quantity) =>
    `${sign}${format(`${count}`, digits(count)).format(value)} ${unit}`;

  return {
    count: (value) => number.format(value),
    share(share) {
      const { value, digits: count } = measureShare(share);
      return format('%', { style: 'percent', ...digits(count) }).format(value / 100);
    },
    latency: (milliseconds) => quantity(measureLatency(milliseconds)),
    duration(milliseconds) {
      const [value, unit] = inLargestUnit(milliseconds);
      return format(unit, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
    },
    countdown: writeCountdown,
    octets: (octets) => quantity(measureOctets(octets)),
    time: (at) => hourAndMinute.format(at),
    clock: (at, now) => nearest(at, now, [clock, clockOfDay, clockOfYear]).format(at),
    ago(milliseconds) {
      const [value, unit] = inLargestUnit(milliseconds);
      return relative.format(-value, unit);
    },
    moment: (at, now) => nearest(at, now, [hourAndMinute, day, dayOfYear]).format(at),
    dateTime: (at) => full.format(at),
    dateAndMinute: (at) => long.format(at),
    date: (iso) => date.format(Date.parse(iso)),
    list: (items) => list.format(items),
  };
}

function inLargestUnit(milliseconds: number): [number, 'second' | 'minute' | 'hour' | 'day'] {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return [seconds, 'second'];
  if (seconds < 3600) return [Math.round(seconds / 60), 'minute'];
  if (seconds < 48 * 3600) return [Math.round(seconds / 3600), 'hour'];
  return [Math.round(seconds / 86_400), 'day'];
}

function writeCountdown(milliseconds: number): string {
  const seconds = Math.max(0, Math.ceil(milliseconds / 1000));
  const two = (value: number) => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  const rest = two(seconds % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

/** Of what a time is said with: on the same day, in the same year, or in another. */
function nearest<Format>(
  at: number,
  now: number,
  [ofDay, ofYear, other]: [Format, Format, Format],
) {
  const [then, today] = [new Date(at), new Date(now)];
  if (then.getFullYear() !== today.getFullYear()) return other;
  return then.toDateString() === today.toDateString() ? ofDay : ofYear;
}

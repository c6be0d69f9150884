/** A point in time as a menu shows it: the time of day, with the date where it was another day. */
export function momentIn(locale: string): (at: number, now: number) => string {
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' });
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
  return (at, now) =>
    day.format(at) === day.format(now) ? time.format(at) : `${day.format(at)}, ${time.format(at)}`;
}

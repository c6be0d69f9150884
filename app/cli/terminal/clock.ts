/** Points in time in this machine's zone. */

/** 14:58:03.412 */
export function clockTime(unixMilliseconds: number): string {
  const date = new Date(unixMilliseconds);
  const digits = (value: number, width = 2) => String(value).padStart(width, '0');
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => digits(part));
  return `${time.join(':')}.${digits(date.getMilliseconds(), 3)}`;
}

/** 2026-01-31 */
export function dayOf(unixMilliseconds: number): string {
  return dayAndMinute(unixMilliseconds).slice(0, '2026-01-31'.length);
}

/** 14:58 of today, and with the date on another day */
export function minuteOf(unixMilliseconds: number, now: number): string {
  const written = dayAndMinute(unixMilliseconds);
  return dayOf(unixMilliseconds) === dayOf(now) ? written.slice(-'14:58'.length) : written;
}

/** 2026-01-31 14:58 */
export function dayAndMinute(unixMilliseconds: number): string {
  const date = new Date(unixMilliseconds);
  const digits = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${digits(date.getMonth() + 1)}-${digits(date.getDate())}`;
  return `${day} ${digits(date.getHours())}:${digits(date.getMinutes())}`;
}

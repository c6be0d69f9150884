/** True once the day is over in UTC; an operator names the day without a time zone. `day`: ISO 8601. */
export function hasEnded(day: string, now: number): boolean {
  const dayMs = 24 * 60 * 60 * 1000;
  return now >= Date.parse(day) + dayMs;
}

/** How many records somebody who is no administrator may bring about, so that nobody fills the log with attempts. Pure. */

export interface Limited {
  /** records left out of the hour that has ended; 0: none */
  leftOut: number;
  isAllowed: boolean;
}

export const mostAnHour = 60;
const hourMs = 3_600_000;

/** By account. `now`: milliseconds of a clock that is never set. */
export function limitRecords(): (account: number | null, now: number) => Limited {
  const hours = new Map<number | null, { since: number; count: number }>();
  return (account, now) => {
    const before = hours.get(account);
    const isOver = before === undefined || now - before.since >= hourMs;
    const hour = isOver ? { since: now, count: 0 } : before;
    hour.count += 1;
    hours.set(account, hour);
    const leftOut = isOver && before !== undefined ? Math.max(0, before.count - mostAnHour) : 0;
    return { leftOut, isAllowed: hour.count <= mostAnHour };
  };
}

/**
 * How many records attempts that were refused may bring about, whoever made them. Otherwise they could push what was decided out of
 * the log. Pure.
 */

export interface Attempt {
  account: number | null;
  /** the record without its time: the same one says no more the second time */
  same: string;
}

export interface LeftOut {
  account: number | null;
  count: number;
}

export interface RefusalLimits {
  /** Whether this one is recorded; otherwise it is counted. */
  allows(attempt: Attempt, now: number): boolean;
  /** What was left out of hours that have ended, once. */
  ended(now: number): LeftOut[];
}

/** Of one account. */
export const mostAnHour = 60;
/** Of one account that say the same. */
export const mostOfTheSame = 3;
/** Of all together: the log then holds two weeks of nothing else. */
export const mostOfAll = 90;
/** Accounts that left the most out; what the others did is one count. */
const mostNamed = 10;
export const hourMs = 3_600_000;

interface Hour {
  since: number;
  records: number;
  leftOut: number;
  /** how often the same was tried */
  same: Map<string, number>;
}

/** `now`: milliseconds of a clock that is never set. */
export function limitRefusals(): RefusalLimits {
  const hours = new Map<number | null, Hour>();
  let all = newHour(-Infinity);

  function hourOf(account: number | null, now: number): Hour {
    const hour = hours.get(account) ?? newHour(now);
    hours.set(account, hour);
    if (now - all.since >= hourMs) all = newHour(now);
    return hour;
  }

  return {
    allows({ account, same }, now) {
      const hour = hourOf(account, now);
      const before = hour.same.get(same) ?? 0;
      if (before >= mostOfTheSame || hour.records >= mostAnHour || all.records >= mostOfAll) {
        hour.leftOut += 1;
        return false;
      }
      hour.records += 1;
      all.records += 1;
      hour.same.set(same, before + 1);
      return true;
    },
    ended(now) {
      const over = [...hours].filter(([, { since }]) => now - since >= hourMs);
      for (const [account] of over) hours.delete(account);
      const leftOut = over
        .map(([account, hour]) => ({ account, count: hour.leftOut }))
        .filter(({ count }) => count > 0)
        .sort((one, other) => other.count - one.count);
      return [...leftOut.slice(0, mostNamed), ...inOne(leftOut.slice(mostNamed))];
    },
  };
}

function inOne(others: readonly LeftOut[]): LeftOut[] {
  if (others.length === 0) return [];
  return [{ account: null, count: others.reduce((sum, { count }) => sum + count, 0) }];
}

function newHour(since: number): Hour {
  return { since, records: 0, leftOut: 0, same: new Map() };
}

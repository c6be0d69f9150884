/** The queries of a stretch of time, counted anew every minute while the page is live. */
import { useEffect, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import type { Series } from '../../../app/contract/status/series.ts';
import { useNow } from '../../state/now.ts';
import { useLive, useService } from '../../state/service.ts';
import type { Session } from '../../state/session.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Each with as many intervals as its length divides into whole minutes or hours. */
export const ranges = {
  hour: { length: hour, points: 60 },
  day: { length: 24 * hour, points: 96 },
  week: { length: 7 * 24 * hour, points: 84 },
} as const;
export type Range = keyof typeof ranges;

export interface Counted {
  /** the last counts of this range; null until then */
  series: Series | null;
  /** why they can't be counted */
  failure: Failure | null;
}

export function useSeries(range: Range): Counted {
  const { session } = useService();
  const live = useLive();
  const round = Math.floor(useNow(minute) / minute);
  const [counted, setCounted] = useState<Counted & { of: Range }>({ ...nothing, of: range });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new minute is a reason to count again
  useEffect(() => {
    if (!live) return;
    let current = true;
    void count(session, range).then((found) => {
      if (current) setCounted({ ...found, of: range });
    });
    return () => {
      current = false;
    };
  }, [session, live, range, round]);
  return counted.of === range ? counted : nothing;
}

const nothing: Counted = { series: null, failure: null };

async function count(session: Session, range: Range): Promise<Counted> {
  const { length, points } = ranges[range];
  const until = Date.now();
  const counted = await session.call('stats.series', { since: until - length, until, points });
  return counted.ok
    ? { series: counted.value, failure: null }
    : { series: null, failure: counted.failure };
}

/** The queries of a stretch of time, counted anew every minute while the page is live. */
import { useEffect, useState } from 'react';
import type { Failure } from '../../../app/contract/errors.ts';
import { useNow } from '../../state/now.ts';
import { useLive, useService } from '../../state/service.ts';
import type { Session } from '../../state/session.ts';
import { type OutcomeSeries, openFilter, outcomeSeries } from './outcome-series.ts';

const minute = 60_000;
const hour = 60 * minute;

/** Each with as many intervals as its length divides into whole minutes or hours. */
export const ranges = {
  hour: { length: hour, buckets: 60 },
  day: { length: 24 * hour, buckets: 96 },
  week: { length: 7 * 24 * hour, buckets: 84 },
} as const;
export type Range = keyof typeof ranges;

export interface Counted {
  /** the last counts of this range; null until then */
  series: OutcomeSeries | null;
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
    void count(session, range, () => current).then((found) => {
      if (current && found !== null) setCounted({ ...found, of: range });
    });
    return () => {
      current = false;
    };
  }, [session, live, range, round]);
  return counted.of === range ? counted : nothing;
}

const nothing: Counted = { series: null, failure: null };

/** null: another count of this connection took its place, or nobody wants it. A count of another page is not replaced. */
async function count(
  session: Session,
  range: Range,
  isWanted: () => boolean,
): Promise<Counted | null> {
  const { length, buckets } = ranges[range];
  const width = length / buckets;
  const to = Math.ceil(Date.now() / width) * width;
  const stretch = { from: to - length, to, buckets };
  const all = await session.call('log.histogram', { filter: '', ...stretch });
  if (!all.ok) return whyNot(all.failure);
  if (!isWanted()) return null;
  const open = await session.call('log.histogram', { filter: openFilter, ...stretch });
  if (!open.ok) return whyNot(open.failure);
  return { series: outcomeSeries(all.value, open.value), failure: null };
}

function whyNot(failure: Failure): Counted | null {
  return failure.code === 'superseded' ? null : { series: null, failure };
}

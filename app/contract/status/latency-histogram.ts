/**
 * Times counted in buckets that grow with the time: 32 to each doubling, so that a bucket is never wider than 3.2 % of the
 * times in it. Microseconds up to 2³² − 1.
 */

/** [longest time of the bucket in microseconds, count]; without empty buckets, shortest first. */
export type Histogram = [longest: number, count: number][];

export const bucketCount = 896;

export function bucketOf(microseconds: number): number {
  const doublings = Math.max(0, 26 - Math.clz32(microseconds));
  return doublings * 32 + (microseconds >>> doublings);
}

/** The longest time that falls into a bucket. */
export function longestIn(bucket: number): number {
  const doublings = Math.max(0, (bucket >> 5) - 1);
  return (bucket - doublings * 32 + 1) * 2 ** doublings - 1;
}

/** Milliseconds within which this share (0 to 1) of all times lies; null where there are none. */
export function percentile(times: Histogram, share: number): number | null {
  const total = times.reduce((sum, [, count]) => sum + count, 0);
  let left = Math.max(1, Math.ceil(total * share));
  for (const [longest, count] of times) {
    left -= count;
    if (left <= 0) return longest / 1000;
  }
  return null;
}

/** The counts since `before`, an earlier state of the same counter. */
export function addedSince(before: Histogram, times: Histogram): Histogram {
  const known = new Map(before);
  return times.flatMap(([longest, count]): Histogram => {
    const added = count - (known.get(longest) ?? 0);
    return added > 0 ? [[longest, added]] : [];
  });
}

/**
 * Times counted in few enough buckets to keep a week of them by the minute: eight to each doubling, so that the middle of a bucket
 * is off by less than seven hundredths. As octets: pairs of the distance from the bucket before and the count.
 */
import { bucketOf, longestIn } from '../../../contract/status/latency-histogram.ts';

/** Count by bucket. */
export type CoarseTimes = Map<number, number>;

/** Four of the contract's buckets. */
const width = 4;

export function addTime(times: CoarseTimes, microseconds: number): void {
  const bucket = Math.floor(bucketOf(microseconds) / width);
  times.set(bucket, (times.get(bucket) ?? 0) + 1);
}

export function addTimes(times: CoarseTimes, others: CoarseTimes): void {
  for (const [bucket, count] of others) times.set(bucket, (times.get(bucket) ?? 0) + count);
}

export function countOf(times: CoarseTimes): number {
  let sum = 0;
  for (const count of times.values()) sum += count;
  return sum;
}

/** Milliseconds within which this share (0 to 1) of all times lies; null where there are none. */
export function timeWithin(times: CoarseTimes, share: number): number | null {
  let left = Math.max(1, Math.ceil(countOf(times) * share));
  for (const [bucket, count] of [...times].sort(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return middleOf(bucket);
  }
  return null;
}

function middleOf(bucket: number): number {
  const from = bucket === 0 ? 0 : longestIn(bucket * width - 1) + 1;
  const to = longestIn(bucket * width + width - 1);
  return (from + to) / 2000;
}

export function writeTimes(times: CoarseTimes): Uint8Array {
  const numbers: number[] = [];
  let before = 0;
  for (const [bucket, count] of [...times].sort(([a], [b]) => a - b)) {
    numbers.push(bucket - before, count);
    before = bucket;
  }
  return writeNumbers(numbers);
}

export function readTimes(octets: Uint8Array): CoarseTimes {
  const numbers = readNumbers(octets);
  const times: CoarseTimes = new Map();
  let bucket = 0;
  for (let at = 0; at + 1 < numbers.length; at += 2) {
    bucket += numbers[at] ?? 0;
    times.set(bucket, numbers[at + 1] ?? 0);
  }
  return times;
}

/** Seven bits an octet, the lowest first; the highest bit says that more follow (LEB128). */
export function writeNumbers(numbers: readonly number[]): Uint8Array {
  const octets: number[] = [];
  for (const number of numbers) {
    let left = number;
    while (left >= 128) {
      octets.push((left % 128) + 128);
      left = Math.floor(left / 128);
    }
    octets.push(left);
  }
  return Uint8Array.from(octets);
}

export function readNumbers(octets: Uint8Array): number[] {
  const numbers: number[] = [];
  let number = 0;
  let place = 1;
  for (const octet of octets) {
    number += (octet % 128) * place;
    place *= 128;
    if (octet >= 128) continue;
    numbers.push(number);
    number = 0;
    place = 1;
  }
  return numbers;
}

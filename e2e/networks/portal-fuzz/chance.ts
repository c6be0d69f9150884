/** Random choices from a seed, so that a failure can be repeated. */
export interface Chance {
  /** from 0 up to, but not including, 1 */
  next(): number;
  /** from 0 up to, but not including, `below` */
  below(below: number): number;
  one<Kind>(of: readonly Kind[]): Kind;
  octets(count: number): Buffer;
}

/** mulberry32 */
export function chanceFrom(seed: number): Chance {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    one: <Kind>(of: readonly Kind[]) => of[below(of.length)] as Kind,
    octets: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
  };
}

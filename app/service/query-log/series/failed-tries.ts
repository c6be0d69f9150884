/**
 * How often each upstream failed since the last look. Events tell who responded, not who failed before; the engine counts that. A
 * counter that is lower than before belongs to a new connection pool, which began at zero.
 */

/** Ids of upstreams, each with a count above zero. */
export type FailedTries = [upstream: string, count: number][];

export interface FailureCount {
  id: string;
  failed: number;
}

/** Each call returns what was added since the call before; the first returns everything. */
export function countFailedTries(): (upstreams: readonly FailureCount[]) => FailedTries {
  let before: ReadonlyMap<string, number> = new Map();
  return (upstreams) => {
    const added = upstreams.map(({ id, failed }): FailedTries[number] => {
      const known = before.get(id) ?? 0;
      return [id, failed < known ? failed : failed - known];
    });
    before = new Map(upstreams.map(({ id, failed }) => [id, failed]));
    return added.filter(([, count]) => count > 0);
  };
}

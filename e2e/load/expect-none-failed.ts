import { expect } from 'vitest';
import type { LoadSummary } from '../rig/sotto-lab.ts';

/** Well below the time that a query waits for an upstream: `DEADLINE` in native/engine/src/upstream/outgoing.rs. */
const shortMs = 3000;

/** Queries that come while no upstream is there wait for one. Some may fail where a slow machine kept all away for longer. */
export function expectNoneFailed({ rcodes, sent }: LoadSummary, awayMs: readonly number[]): void {
  const { NOERROR = 0, SERVFAIL = 0, ...others } = rcodes;
  expect(others).toEqual({});
  expect(NOERROR + SERVFAIL).toBe(sent);
  if (awayMs.every((away) => away < shortMs)) expect(SERVFAIL, `away for ${awayMs} ms`).toBe(0);
}

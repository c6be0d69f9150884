/** The service is stopped for a while, as on a machine that swaps or is suspended, and goes on. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { load } from '../rig/sotto-lab.ts';
import { suffix } from '../rig/zones/far.ts';
import { describeLoad, openPath } from './scenario.ts';

const standstillMs = 5000;
const rate = 200;
const seconds = 8;

describeLoad('a service that stood still for five seconds', () => {
  it('responds to each query of the meantime once, and logs all of them', async () => {
    const lab = await labForTest();
    const { service } = await openPath(lab, { delay: '20ms', settings: { cache: { entries: 0 } } });
    // each name once, so that no query waits for an equal one
    const names = Array.from({ length: rate * seconds }, (_, number) => `n${number}.${suffix}`);
    const queries = await load(lab, service.v4, { names, rate, seconds, timeoutSeconds: 60 });
    await eventually('queries are being answered', () => (queries.latest?.answered ?? 0) > 0);
    service.signal('SIGSTOP');
    await eventually('every thread of it stands still', () => standsStill(service.pid));
    const stoppedAt = Date.now() + 1;
    await pause(standstillMs);
    service.signal('SIGCONT');
    const summary = await queries.summary();
    expect(summary).toMatchObject({ lost: 0, late: 0, duplicates: 0, strays: 0, unexplained: 0 });
    const { NOERROR = 0, SERVFAIL = 0 } = summary.rcodes;
    expect(NOERROR + SERVFAIL).toBe(summary.sent);
    expect(summary.latencyMs?.max).toBeGreaterThan(standstillMs / 2);
    const { upstreams, events } = await eventually('the log holds all of them', async () => {
      const status = await service.status();
      return status.log.rows >= summary.sent && status;
    });
    // only queries that were on their way upstream at the stop may fail, because their time ran out; later ones must have
    // responses
    const failed = await service.log({ outcome: 'failed', limit: 5000 });
    expect(failed).toHaveLength(SERVFAIL);
    const cameLater = failed.filter(({ at }) => at > stoppedAt);
    const wasOver = failed.filter(({ at, ms }) => at + ms < stoppedAt);
    expect([cameLater, wasOver]).toEqual([[], []]);
    // a connection that was silent for so long may be given up, but none after the other
    expect(upstreams[0]?.dials).toBeLessThanOrEqual(4);
    expect(events.dropped).toBe(0);
  });
});

/** A thread on another processor stops a little later than kill(2) returns. */
function standsStill(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) =>
    /^State:\tT/m.test(readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8')),
  );
}

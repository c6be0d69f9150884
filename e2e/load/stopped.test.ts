/** The service stands still for a while, as on a machine that swaps or is suspended, and goes on. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../system/eventually.ts';
import { labForTest } from '../system/lab.ts';
import { describeLoad, openPath } from './scenario.ts';
import { load } from './sotto-lab.ts';

const standstillMs = 5000;
const rate = 200;

describeLoad('a service that stood still for five seconds', () => {
  it('answers what was asked meanwhile, once each, and logs all of it', async () => {
    const lab = await labForTest();
    const { service } = await openPath(lab, { delayMs: 20, settings: { cache: { entries: 0 } } });
    const questions = await load(lab, service.v4, { rate, seconds: 8, timeoutSeconds: 12 });
    await eventually('questions are being answered', () => (questions.latest?.answered ?? 0) > 0);
    service.signal('SIGSTOP');
    await pause(standstillMs);
    service.signal('SIGCONT');
    const summary = await questions.summary();
    expect(summary).toMatchObject({ lost: 0, late: 0, duplicates: 0, strays: 0, unexplained: 0 });
    // out of time: what was on its way upstream, and who asked for the same name meanwhile
    const { NOERROR = 0, SERVFAIL = 0 } = summary.rcodes;
    expect(NOERROR + SERVFAIL).toBe(summary.sent);
    expect(SERVFAIL).toBeLessThan(rate / 2);
    expect(summary.latencyMs?.max).toBeGreaterThan(standstillMs / 2);
    const { upstreams, events } = await eventually('the log holds all of them', async () => {
      const status = await service.status();
      return status.log.rows >= summary.sent && status;
    });
    // one connection that was silent for so long may be given up, but not one after the other
    expect(upstreams[0]?.dials).toBeLessThanOrEqual(2);
    expect(events.dropped).toBe(0);
  });
});

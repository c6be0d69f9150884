/** Upstreams that die and come back under load. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { encodeQuery, parse, rcodes } from '../rig/message.ts';
import { askUdp } from '../rig/raw-client.ts';
import { load } from '../rig/sotto-lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { suffix } from '../rig/zones/far.ts';
import { expectNoneFailed } from './expect-none-failed.ts';
import { describeLoad, resolverIdentity, startZipfServer, untilPrivate } from './scenario.ts';

const outages = 2;
/** longer than any of the trials: the load ends with the last outage */
const atMostSeconds = 200;
/** these times are part of the trial */
const outageMs = 1000;

describeLoad('upstreams that flap under load', () => {
  it('lose no query while one of them is up', async () => {
    const { service, first, second, load } = await underLoad();
    for (let outage = 0; outage < outages; outage++) {
      for (const one of [first, second]) {
        await one.kill();
        await load.goesOn(250);
        await one.start();
        await eventually('it is tried again', async () => {
          const { upstreams } = await service.status();
          return upstreams.every(({ state, restingMs }) => state !== 'resting' && restingMs === 0);
        });
        await load.goesOn(150);
      }
    }
    const summary = await load.end();
    expect(summary).toMatchObject({ lost: 0, late: 0, duplicates: 0, strays: 0, unexplained: 0 });
    expect(summary.rcodes).toEqual({ NOERROR: summary.sent });
    expect(service.output).not.toContain(suffix);
  });

  it('delay queries and lose none where both restart for a second', async () => {
    const { service, first, second, load } = await underLoad();
    const awayMs: number[] = [];
    for (let outage = 0; outage < outages; outage++) {
      const began = performance.now();
      await Promise.all([first.kill(), second.kill()]);
      await pause(outageMs);
      await Promise.all([first.start(), second.start()]);
      await eventually('an answer from upstream', () => answers(service, `outage${outage}`));
      awayMs.push(performance.now() - began);
      await load.goesOn(250);
    }
    const summary = await load.end();
    expect(summary).toMatchObject({ lost: 0, late: 0, duplicates: 0, strays: 0, unexplained: 0 });
    expectNoneFailed(summary, awayMs);
  });
});

async function underLoad() {
  const lab = await labForTest();
  const identity = await resolverIdentity(lab);
  const first = await startZipfServer(lab, { identity, delay: '20ms' });
  const second = await startZipfServer(lab, { identity, delay: '20ms' });
  const service = await SottoService.start(lab, {
    upstreams: [first.upstream('first'), second.upstream('second')],
    cache: { entries: 0 },
  });
  await untilPrivate(service);
  const running = await load(lab, service.v4, {
    ...{ rate: 500, seconds: atMostSeconds, timeoutSeconds: 60 },
  });
  const forwarded = async () => (await service.status()).outcomes.forwarded ?? 0;
  /** Waits until an upstream has responded so many more times. */
  async function goesOn(more: number): Promise<void> {
    const before = await forwarded();
    await eventually(`${more} more answers`, async () => (await forwarded()) >= before + more);
  }
  async function end() {
    await running.stop();
    return await running.summary();
  }
  return { service, first, second, load: { goesOn, end } };
}

async function answers(service: SottoService, label: string): Promise<boolean> {
  const response = await askUdp(service.v4, encodeQuery(`${label}.${suffix}`, 'A'), 500);
  return parse(response).rcode === rcodes.NOERROR;
}

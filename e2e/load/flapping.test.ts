/** Upstreams that die and come back under load. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { eventually } from '../rig/eventually.ts';
import { labForTest } from '../rig/lab.ts';
import { parse, question, rcodes } from '../rig/message.ts';
import { askUdp } from '../rig/raw-client.ts';
import { load } from '../rig/sotto-lab.ts';
import { SottoService } from '../rig/sotto-service.ts';
import { suffix } from '../rig/zones/far.ts';
import { describeLoad, resolverIdentity, startZipfServer } from './scenario.ts';

const rounds = 5;
const outages = 2;

describeLoad('upstreams that flap under load', () => {
  it('cost no question while one of them is up', async () => {
    const { service, first, second, questions } = await underLoad(2 * rounds + 1);
    for (let round = 0; round < rounds; round++) {
      for (const one of [first, second]) {
        await one.kill();
        await pause(500);
        await one.start();
        await eventually('it is tried again', async () => {
          const { upstreams } = await service.status();
          return upstreams.every(({ state, restingMs }) => state !== 'resting' && restingMs === 0);
        });
        await pause(300);
      }
    }
    const summary = await questions.summary();
    expect(summary).toMatchObject({ lost: 0, late: 0, duplicates: 0, strays: 0, unexplained: 0 });
    expect(summary.rcodes).toEqual({ NOERROR: summary.sent });
    expect(service.output).not.toContain(suffix);
  });

  it('cost a wait and no question where both restart for a second, and answers come within 2 s of their return', async () => {
    const { service, first, second, questions } = await underLoad(3 * outages);
    for (let outage = 0; outage < outages; outage++) {
      await Promise.all([first.kill(), second.kill()]);
      await pause(1000);
      await Promise.all([first.start(), second.start()]);
      await eventually('an answer from upstream', () => answers(service, `outage${outage}`), 2000);
      await pause(500);
    }
    const summary = await questions.summary();
    expect(summary).toMatchObject({ lost: 0, late: 0, duplicates: 0, strays: 0, unexplained: 0 });
    expect(summary.rcodes).toEqual({ NOERROR: summary.sent });
  });
});

async function underLoad(seconds: number) {
  const lab = await labForTest();
  const identity = await resolverIdentity(lab);
  const first = await startZipfServer(lab, { identity, delay: '20ms' });
  const second = await startZipfServer(lab, { identity, delay: '20ms' });
  const service = await SottoService.start(lab, {
    upstreams: [first.upstream('first'), second.upstream('second')],
    cache: { entries: 0 },
  });
  const questions = await load(lab, service.v4, { rate: 500, seconds });
  return { service, first, second, questions };
}

async function answers(service: SottoService, label: string): Promise<boolean> {
  const reply = await askUdp(service.v4, question(`${label}.${suffix}`, 'A'), 500);
  return parse(reply).rcode === rcodes.NOERROR;
}
